/* Trees against other programs. State of the arms: q_i = 0.1 + 0.1*(7i mod 5), q_i' = 0.5 - 0.15*(3i mod 7), g = 9.81.
   */
#include "support/robots.h"

static void arm_state(size_t n, double *q, double *v)
{
    for (size_t i = 1; i <= n; i++) {
        q[i - 1] = 0.1 + 0.1 * (double)(7 * i % 5);
        v[i - 1] = 0.5 - 0.15 * (double)(3 * i % 7);
    }
}

/* M, bias and q'' of KDL 1.5.1 (orocos-kdl), which agree with DART 6.12 to all but the last digit. */
static const double ur5_M[] = {
    3.07277063493261,     0.246337798068133,    0.0504928448338451,   0.000796205159316442, -0.110031398185101,
    -0.00152467101314505, 0.246337798068133,    3.92484674703173,     1.49305918988183,     0.234195368962744,
    0.000470283137021036, 0.017050862157848,    0.0504928448338451,   1.49305918988183,     0.831398571141933,
    0.238463226085351,    0.000470283137021036, 0.017050862157848,    0.000796205159316442, 0.234195368962744,
    0.238463226085351,    0.241179832703519,    0.000470283137021036, 0.017050862157848,    -0.110031398185101,
    0.000470283137021036, 0.000470283137021036, 0.000470283137021036, 0.251784816356017,    0,
    -0.00152467101314505, 0.017050862157848,    0.017050862157848,    0.017050862157848,    0,
    0.0171364731454};
static const double ur5_bias[] = {0.0809168233202695, -49.9877448419724,    -11.8201364734511,
                                  0.153540858770486,  -0.00483517107232667, 0.000528323295287387};
static const double ur5_qdd[] = {-1.48825228984632, 24.3651799018148,   -31.3803642923691,
                                 6.72819860827624,  -0.630635107214547, 0.122308515599399};

static void ur5(void)
{
    double q[6], v[6], minus[6];
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    add_chain(m, robot_ur5, 6);
    const size_t force = show_wrench(m, "force", 0, MECH_WRENCH_FORCE, 3),
                 torque = show_wrench(m, "torque", 0, MECH_WRENCH_TORQUE, 3);
    mechanism_finish(m);
    arm_state(6, q, v);
    mechanism_at(m, q, v);
    near_list(m->at->M, ur5_M, 36, 1e-13);
    for (int i = 0; i < 6; i++) minus[i] = -ur5_bias[i];
    near_list(m->at->Q, minus, 6, 1e-13);
    near_list(m->at->qdd, ur5_qdd, 6, 1e-12);
    /* on the shoulder, by Newton-Euler with those q'' in an independent program */
    near_list(m->at->output + force, (const double[]){-39.0840253769, -19.9232923743, 80.8798653538}, 3, 1e-11);
    near_list(m->at->output + torque, (const double[]){2.4405320687, 0.7549450372, 0}, 3, 1e-10);
    mechanism_close(m);
}

static void iiwa(void)
{
    double q[7], v[7];
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    add_chain(m, robot_iiwa, 7);
    mechanism_finish(m);
    arm_state(7, q, v);
    mechanism_at(m, q, v);
    CHECK_NEAR(m->at->M[1 * 7 + 1], 3.31369754300191, 1e-13);
    CHECK_NEAR(m->at->M[1 * 7 + 3], -1.09967521660256, 1e-13);
    near_list(m->at->qdd,
              (const double[]){3.2283065323225, 17.0772214618189, -4.76564960774406, 33.3986529804882,
                               -2.64439077971475, 26.6709036980439, 5.11833871360341},
              7, 1e-12);
    mechanism_close(m);
}

/* A free base on Euler parameters; accelerations of the joints by DART 6.12. The state has the angular velocity of the
   base in its own axes. */
static void solo12(void)
{
    double q[19], v[19];
    static const double place[] = {0.1, 0.2, 0.5, 0.927361849549575, 0.1, -0.2, 0.3},
                        rates[] = {0.3, -0.1, 0.2, 0.4, -0.3, 0.2};
    static const double angles[] = {0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.4, 0.1, 0.3, 0.5, 0.2},
                        speeds[] = {-0.4, 0.2, -0.25, 0.35, -0.1, 0.5, 0.05, -0.4, 0.2, -0.25, 0.35, -0.1};
    static const double joints[] = {0.104552677357284,  -0.273850912485267, 0.388841647073823,  -0.175148489732806,
                                    -0.330922810465262, -0.477749253515343, -0.510854726810947, -0.12776276700359,
                                    -0.193451560049435, -0.187122939784441, 0.281298130792156,  -0.413593999218575};
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    add_chain(m, robot_solo12, 13);
    mechanism_finish(m);
    memcpy(q, place, sizeof place);
    memcpy(q + 7, angles, sizeof angles);
    memcpy(v, rates, 3 * sizeof *v);
    const double *e = q + 3, *w = rates + 3; /* e' = E(e)^T w/2, w in the base's axes */
    v[3] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    v[4] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
    v[5] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
    v[6] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
    memcpy(v + 7, speeds, sizeof speeds);
    mechanism_at(m, q, v);
    near_list(m->at->qdd + 7, joints, 12, 1e-11);
    CHECK_NEAR(m->at->reaction[0], 0, 1e-11); /* nothing pulls at the length of the Euler parameters */
    mechanism_close(m);
}

int main(void)
{
    ur5();
    iiwa();
    solo12();
    return check_report();
}
