/* Andrews' mechanism by hand: the limit that generated code is measured against. */
#ifndef BENCH_ANDREWS_BY_HAND_H
#define BENCH_ANDREWS_BY_HAND_H

#include <math.h>

/* ---- Andrews' mechanism by hand: the structure used, three 2 x 2 blocks, sin and cos of the C library ----
 */

enum { beta, Theta, gamma_, Phi, delta, Omega, epsilon };

static const double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, I2 = 4.410e-7, I4 = 5.667e-7, I6 = 5.667e-7;
static const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double c0 = 4530, l0 = 0.07785, mom = 0.033;
static const double dd = 0.028, da = 0.0115, ee = 0.02, ea = 0.01421, rr = 0.007;
static const double ss = 0.035, sc = 0.018, sd = 0.02, zf = 0.02, zt = 0.04, fa = 0.01421, uu = 0.04;
#define C11 (0.04325 * 0.00092 * 0.00092 + 2.194e-6)
#define C33 (0.02373 * (0.01874 * 0.01874 + 0.01043 * 0.01043) + 5.255e-6)
#define C55 (0.07050 * (0.02308 * 0.02308 + 0.00916 * 0.00916) + 1.169e-5)
#define C77 (0.05498 * (0.01228 * 0.01228 + 0.00449 * 0.00449) + 1.912e-5)

/* Each loop is a 2 x 2 system: q'' = N s + p with s = Theta'', then one equation for s. */
static inline void by_hand(const double *q, const double *v, double *qdd)
{
    const double sb = sin(q[beta]), cb = cos(q[beta]), sbt = sin(q[beta] + q[Theta]), cbt = cos(q[beta] + q[Theta]);
    const double sg = sin(q[gamma_]), cg = cos(q[gamma_]), spd = sin(q[Phi] + q[delta]), cpd = cos(q[Phi] + q[delta]);
    const double sdl = sin(q[delta]), cdl = cos(q[delta]), soe = sin(q[Omega] + q[epsilon]);
    const double coe = cos(q[Omega] + q[epsilon]), se = sin(q[epsilon]), ce = cos(q[epsilon]);
    const double vb = v[beta], vbt = v[beta] + v[Theta], vg = v[gamma_], vd = v[delta], vpd = v[Phi] + v[delta];
    const double ve = v[epsilon], voe = v[Omega] + v[epsilon];
    /* P in terms of (beta, beta + Theta): P'' = J (beta'', (beta+Theta)'') + k */
    const double Px = -rr * sb, Py = rr * cb, Tx = dd * sbt, Ty = -dd * cbt;
    const double kx = -rr * cb * vb * vb + dd * cbt * vbt * vbt, ky = -rr * sb * vb * vb + dd * sbt * vbt * vbt;
    /* arm: beta'' and gamma'' from s = Theta'' */
    const double gx = ss * cg, gy = ss * sg, hgx = -ss * sg * vg * vg, hgy = ss * cg * vg * vg;
    const double Bx = Px + Tx, By = Py + Ty, i1 = 1 / (Bx * gy - By * gx);
    const double e1x = hgx - kx, e1y = hgy - ky;
    const double Nb = (gx * Ty - gy * Tx) * i1, Ng = (Bx * Ty - By * Tx) * i1;
    const double pb = (e1x * gy - e1y * gx) * i1, pg = (By * e1x - Bx * e1y) * i1;
    const double Nx = Nb + 1, px = pb;
    /* the point P: P'' = R s + h */
    const double Rx = gx * Ng, Ry = gy * Ng, hx = gx * pg + hgx, hy = gy * pg + hgy;
    /* upper: (Phi + delta)'' and delta'' from P''; lower likewise */
    const double ux = ee * cpd, uy = ee * spd, dx = -zt * sdl, dy = zt * cdl;
    const double hux = -ee * spd * vpd * vpd - zt * cdl * vd * vd, huy = ee * cpd * vpd * vpd - zt * sdl * vd * vd;
    const double i2 = 1 / (ux * dy - uy * dx), e2x = hx - hux, e2y = hy - huy;
    const double Nu = (Rx * dy - Ry * dx) * i2, Nd = (ux * Ry - uy * Rx) * i2;
    const double pu = (e2x * dy - e2y * dx) * i2, pd = (ux * e2y - uy * e2x) * i2;
    const double wx = -zf * soe, wy = zf * coe, ex = uu * ce, ey = uu * se;
    const double hwx = -zf * coe * voe * voe - uu * se * ve * ve, hwy = -zf * soe * voe * voe + uu * ce * ve * ve;
    const double i3 = 1 / (wx * ey - wy * ex), e3x = hx - hwx, e3y = hy - hwy;
    const double Nw = (Rx * ey - Ry * ex) * i3, Ne = (wx * Ry - wy * Rx) * i3;
    const double pw = (e3x * ey - e3y * ex) * i3, pe = (wx * e3y - wy * e3x) * i3;
    /* masses in (beta, beta+Theta), (Phi+delta, delta), (Omega+epsilon, epsilon) */
    const double cT = cb * cbt + sb * sbt, sT = cb * sbt - sb * cbt;
    const double mb = C11 + m2 * rr * rr, mbx = -m2 * rr * da * cT, mx = m2 * da * da + I2;
    const double Qb = mom - m2 * rr * da * sT * vbt * vbt, Qx = m2 * rr * da * sT * vb * vb;
    const double l4 = ee - ea, sP = cdl * spd - sdl * cpd, cP = cdl * cpd + sdl * spd;
    const double mu = m4 * l4 * l4 + I4, md = C55 + m4 * zt * zt, mud = m4 * zt * l4 * sP;
    const double Qu = m4 * zt * l4 * cP * vd * vd, Qd = -m4 * zt * l4 * cP * vpd * vpd;
    const double l6 = zf - fa, sO = soe * ce - coe * se, cO = coe * ce + soe * se;
    const double mw = m6 * l6 * l6 + I6, me = C77 + m6 * uu * uu, mwe = -m6 * uu * l6 * sO;
    const double Qw = -m6 * uu * l6 * cO * ve * ve, Qe = m6 * uu * l6 * cO * voe * voe;
    const double Dx = xb + sd * cg + sc * sg - xc, Dy = yb + sd * sg - sc * cg - yc;
    const double L = sqrt(Dx * Dx + Dy * Dy), F = -c0 * (L - l0) / L;
    const double Qg = F * (Dx * (sc * cg - sd * sg) + Dy * (sd * cg + sc * sg));
    /* N' M N s = N' (Q - M p) */
    const double H = Nb * (mb * Nb + 2 * mbx * Nx) + mx * Nx * Nx + C33 * Ng * Ng + Nu * (mu * Nu + 2 * mud * Nd) +
                     md * Nd * Nd + Nw * (mw * Nw + 2 * mwe * Ne) + me * Ne * Ne;
    const double f = Ng * (Qg - C33 * pg) + Nb * (Qb - mb * pb - mbx * px) + Nx * (Qx - mbx * pb - mx * px) +
                     Nu * (Qu - mu * pu - mud * pd) + Nd * (Qd - mud * pu - md * pd) + Nw * (Qw - mw * pw - mwe * pe) +
                     Ne * (Qe - mwe * pw - me * pe);
    const double s = f / H;
    qdd[Theta] = s;
    qdd[gamma_] = Ng * s + pg;
    qdd[beta] = Nb * s + pb;
    qdd[delta] = Nd * s + pd;
    qdd[Phi] = Nu * s + pu - qdd[delta];
    qdd[epsilon] = Ne * s + pe;
    qdd[Omega] = Nw * s + pw - qdd[epsilon];
}

/* Where it starts at rest, and where it is at t = 0.03 (extrapolation in quadruple precision, 22 digits; the
   published values of the test set of Bari agree to 3e-10). */
static const double andrews_start[7] = {
    -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
    1.23054744454982119};
static const double andrews_end[7] = {15.81077119515370709712,   -15.75637105841183946973, 0.04082224011964580485828,
                                      -0.5347301163420795937702, 0.5244099658799540693717, 0.5347301163420795937702,
                                      1.048080741041937873069};

#endif
