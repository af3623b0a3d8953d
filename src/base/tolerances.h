/* Tolerances of the back half: what counts as small where a state is put onto constraints, a run looks at its steps,
   and a point is judged. Each has a name, a value, what it means and where the value comes from. A number like 1e-6 in
   a room that is listed in tools/check_tolerances.sh stands here or nowhere.

   Where it comes from stands behind the bar. *Rounding*: terms that are each known to half a unit in their last place,
   and some room for how many there are. *Half the digits*: a first difference is best taken over the root of what
   rounding leaves, 1e-8 of the size, and is known to about as much; 1e-6 leaves it two digits. *Judged*: chosen so that
   the examples and the tests hold; no derivation is known. Where nothing stands, it follows from the one before. */
#ifndef BASE_TOLERANCES_H
#define BASE_TOLERANCES_H

#include <float.h>

/* ---- what the user may say otherwise ---- */
/* `rtol`: of a coordinate, by its size | nine digits are what plots and tables ask for */
#define TOL_RTOL 1e-9
/* `atol`: in the coordinate's unit | rtol of what is a thousandth */
#define TOL_ATOL 1e-12
/* `event_tol`: width of an event, of the span | rounding of its time */
#define TOL_EVENT 1e-14
/* `resolution`: crossings so far apart are seen, of the span | judged: what a figure cannot show */
#define TOL_RESOLUTION 1e-6

/* ---- rounding ---- */
/* what rounding leaves of a sum, beside its terms | some sixty terms */
#define TOL_SUM (32 * DBL_EPSILON)
/* the same of a row of 1, or a coordinate that may come so far | rounding */
#define TOL_LEAST 1e-13
/* of atol: what a coordinate is not known by after a projection | well below its error */
#define TOL_UNKNOWN 1e-3
/* rows closer to one another depend, at a state on the constraints | ten times the rank_tol of a solve */
#define TOL_RANK 1e-9
/* the same off them: rows that depend on one another there alone do so to the drift | the drift of rtol 1e-9, and some
   room */
#define TOL_RANK_OFF 1e-7
/* of the smallest sine kept: rows closer than that depend, where an importer integrates with a drift of its own | far
   from both, and no more than TOL_RANK_BESIDE_MOST */
#define TOL_RANK_BESIDE 1e-2
#define TOL_RANK_BESIDE_MOST 1e-3
/* rtol and atol of the run that says how fast a motion is, for an importer's gain | what importers take */
#define TOL_TRIAL 1e-6
#define TOL_TRIAL_ABSOLUTE 1e-9
/* a step of Newton's method that leaves more of the residuals, to the last | of a double root 1/4, of a triple one 8/27
   */
#define TOL_SLOW 0.1
/* of the gradient where the search began: what is left of one that vanishes | a double root is found to half of the
   digits */
#define TOL_VANISHED 1e-4
/* rows farther from dependence than that are not near it | judged: far above the drift of any rtol */
#define TOL_RANK_CLEAR 1e-3
/* of the largest mass: a mass in a metric of our own is no smaller | half the digits */
#define TOL_METRIC 1e-6
/* what a singular mass matrix gets on its diagonal, by it, while it is a metric | any will do */
#define TOL_METRIC_MORE 1e-3
/* of its terms: an acceleration that misses its row by more contradicts it | judged */
#define TOL_ACCELERATION 1e-9

/* ---- the start (assemble) ---- */
/* a state that is given as a whole may miss a row by that part | digits that people write down */
#define TOL_GIVEN 1e-9
/* a fixed value is put in exactly when it is that near | Newton came to rounding beside it */
#define TOL_PIN 1e-9
/* of what moved most: less has not moved | rounding of the solve */
#define TOL_MOVED 1e-12
/* what coordinates are measured by where they are 0 is 1, or less by as much as atol is below its default; never below
   that | its square has a value */
#define TOL_UNIT_LEAST 1e-30
/* first nudge away from where nothing points, of that | judged */
#define TOL_NUDGE 1e-3
/* the same by the largest coordinate | judged */
#define TOL_NUDGE_SIZE 1e-2
/* rows whose slopes differ by less from place to place are linear | rounding of a slope */
#define TOL_SAME_SLOPE 1e-12
/* ... and whose values follow to that | judged */
#define TOL_SAME_VALUE 1e-9
/* a redundant row that misses by less than that part of its terms agrees | what people write */
#define TOL_AGREES 1e-9
/* ... or by less than that at all */
#define TOL_AGREES_LEAST 1e-12
/* of the worst row: rows that miss by less are not to blame | judged */
#define TOL_LEAST_SQUARES_PART 1e-3
/* damping of the search for the least misfit at its beginning | judged */
#define TOL_LEAST_SQUARES_DAMPING 1e-3
/* its least | rounding */
#define TOL_LEAST_SQUARES_LEAST 1e-12
/* its end: the square of a step by that of x | rounding of x */
#define TOL_LEAST_SQUARES_STEP 1e-24
/* coordinates below this, of that and of the largest, are shown as 0 in messages with four digits */
#define TOL_SHOWN_ZERO 1e-5

/* ---- a step and its projection ---- */
/* times what may be left: so much may stay of a row that a singular position puts out of reach | 1e-6 of a row at most,
   and it goes as soon as that is passed */
#define TOL_LEFT_OVER 1e7
/* by which rows that depend on one another may miss each other when no residual says it */
#define TOL_CONFLICT 1e-10
/* of the span: a look ahead of where the motion stands | half the digits */
#define TOL_AHEAD 1e-8
/* of the span: a hair beside a point of an input or a kink of the clock | two widths of an event */
#define TOL_HAIR 2e-14
/* of the span: beside a kink, and where control that pulls away is looked for first | ten hairs */
#define TOL_TICKS 2e-13
/* of what is asked for: a hundred thousand steps within it stand still | judged */
#define TOL_STANDSTILL 1e-6
/* the same at a kink, and for kinks that are crossed over and over */
#define TOL_STANDSTILL_KINK 1e-3
/* rows given by accelerations contradict one another when they miss by more, of their terms | half the digits */
#define TOL_GIVEN_ROW 1e-6
/* ... and by more than that */
#define TOL_GIVEN_ROW_LEAST 1e-9
/* a row depends on others, as elimination sees it | it works with squares, of which rounding leaves 1e-13 and below
   1e-11 nothing is certain */
#define TOL_MONITORED 4e-6
/* of the energy or residual scale: what the judge lets pass in any run | rounding, judged */
#define TOL_BALANCE 1e-11

/* of the distance of rows by the clock: a step divides the span to that | digits that people write down */
#define TOL_ROW_DIVIDES 1e-9

/* of a fixed step: an end so near is that of the step | rounding of the clock */
#define TOL_STEP_DUE 1e-6
/* of the largest energy: a balance that fixed steps miss by more is worth a warning | judged */
#define TOL_FIXED_BALANCE 1e-2

/* ---- triggers and kinks ---- */
/* of the largest value met: a trigger so small may stand at its threshold | half the digits */
#define TOL_AT_ZERO 1e-6
/* ... and one that has fired, or moved, by less stands there still | rtol */
#define TOL_STANDS 1e-9
/* ... below this it has no sign | rounding */
#define TOL_FLOOR 1e-14
/* the same of kinks and of what friction holds | rounding */
#define TOL_FLOOR_OWN 1e-12
/* ... a stretch that is open by less is a touch, not a crossing and back | judged */
#define TOL_BEYOND 1e-7
/* of the span: along the slope for that long tells which way a trigger goes | judged */
#define TOL_SIGN_TIME 1e-6
/* of the span: a step ends no farther before a kink */
#define TOL_KINK_GAP 1e-6
/* of the span: a trial motion takes so long | judged */
#define TOL_TRIAL_TIME 1e-9
/* of coordinates and velocities: and goes so far | half the digits */
#define TOL_TRIAL 1e-6
/* of how far coordinates come: these are at least so large | judged */
#define TOL_TRIAL_REACH 1e-3
/* of what a trigger does without the rows: less is held still by them */
#define TOL_TRIAL_STILL 1e-6
/* a function of the clock that changes by less beside its size does not turn | rounding of bounds */
#define TOL_FLAT 1e-9
/* ... nor one that is so small beside the largest */
#define TOL_FLAT_LEAST 1e-12
/* of its terms: a momentum that changes by more over a kink jumps | rounding of both sides */
#define TOL_JUMP_MOMENTUM 1e-10
/* the same of the slope of an input */
#define TOL_JUMP_SLOPE 1e-9
/* of the energy: work at a kink below it is rounding */
#define TOL_JUMP_ENERGY 1e-11
/* events by `set` that follow one another so much faster than at first accumulate | judged */
#define TOL_ACCUMULATES 1e-6
/* of the span, or the resolution: events that follow one another within it are not resolved */
#define TOL_FREQUENT 1e-6
/* of the span: events within it happen at one instant | ten widths */
#define TOL_INSTANT 1e-13

/* of the time: how closely a kink of what is measured is located | rounding of the clock */
#define TOL_KINK_TIME 1e-15
/* of a step: no stretch beside such a kink is shorter, and what lies nearer to it counts as behind it | what no mean
   shows */
#define TOL_KINK_CUT 1e-13
/* of rtol: what may be unknown of a mean, beside the sum of its shares | their errors add up */
#define TOL_MEASURE_DOUBT 1e3

/* ---- runs on lanes (ensemble) ---- */
/* of the run: a shorter step is left to a whole run | the standstill of 1e5 steps within 1e-6 of it */
#define TOL_LANES_STEP 1e-11
/* of its largest: where the margin of the rank falls below, a run is made whole | a margin is about the square of the
   ratio of singular values, and that is near at TOL_NEAR: well before */
#define TOL_LANES_MARGIN 0.05
/* of a step: no stretch that is measured is shorter | what no mean shows */
#define TOL_LANES_STRETCH 1e-9

/* of the tolerance of a step: what the polynomials that remember a delayed value may miss it by | below what steps
   err */
#define TOL_DELAY 1e-2

/* ---- contacts and impacts ---- */
/* of the fastest approach: below it bounces have died away | judged */
#define TOL_SMALL_SPEED 1e-6
/* of the span: how well the clock is known when triggers are probed */
#define TOL_PROBE_TIME 1e-16
/* of how far coordinates come, and */
#define TOL_PUSH_REACH 1e-7
/* of the largest coordinate: a step that shows which way a row pushes | half the digits */
#define TOL_PUSH_STEP 1e-6
/* a row takes over as the normal one when it changes a trigger more by that */
#define TOL_PUSH_CLEAR 1e-6
/* of its terms: an acceleration into the contact that is smaller does not press | half the digits */
#define TOL_SEPARATES 1e-6
/* of its terms: a gap, or a rate, that is smaller is none | digits that people write down */
#define TOL_TOUCH 1e-9
/* of the largest reaction, or of the terms of an acceleration: less pulls, or sinks in, by rounding */
#define TOL_PRESSES 1e-10
/* of the way at the fastest approach over the run, and */
#define TOL_GAP_WAY 1e-4
/* of the terms: a gap below both is closed by moving onto the contact */
#define TOL_GAP_SIZE 1e-6
/* of the coordinates: onto rows that are nearer Newton's steps end at the nearest point | its square is rounding */
#define TOL_NEAREST_WAY 1e-8
/* of that way: a shorter step towards the nearest point is the last */
#define TOL_NEAREST_DONE 1e-12
/* ... where steps do not come below this there is none to be found */
#define TOL_NEAREST 1e-9
/* coordinates whose masses differ by less have one unit | rounding */
#define TOL_SAME_MASS 1e-12
/* a gradient whose length is off 1 by more is no distance | what people write down */
#define TOL_UNIT_LENGTH 1e-6
/* of the largest impulse, or of a change of velocity: less pulls, or sinks in, by rounding */
#define TOL_IMPULSE 1e-12
/* of its terms: a velocity after the impact that is beyond by less is as asked | rtol */
#define TOL_IMPULSE_RATE 1e-9

/* ---- contact problems (contact): rows have one unit ---- */
/* of its terms: a force or an acceleration beyond its bound by less meets it | rounding of a dozen unknowns */
#define TOL_CONTACT 1e-10
/* a pivot by the largest: below it a mode is singular | rounding */
#define TOL_CONTACT_RANK 1e-11
/* of the largest: accelerations that differ by less are one motion | half the digits */
#define TOL_CONTACT_SAME 1e-8
/* contacts that W couples by less have nothing to do with one another | rounding of W */
#define TOL_CONTACT_COUPLED 1e-13
/* of the coefficients of a simplex, and of what it gains: less is 0 | rounding */
#define TOL_CONTACT_PIVOT 1e-11
/* the same of Lemke's tableau, after a hundred exchanges | rounding */
#define TOL_CONTACT_LEMKE 1e-9
/* of the velocity before the impact: sliding that is slower has stopped | rounding */
#define TOL_CONTACT_STOPPED 1e-13
/* of the size of the problem: what Newton's method may leave | rounding */
#define TOL_CONTACT_NEWTON 1e-13
/* of the square of the largest: damping of its steps where the derivative is singular | its root is half the digits */
#define TOL_CONTACT_DAMPING 1e-14
/* of a step of the flow through an impact: its error | rounding of some hundred steps */
#define TOL_CONTACT_FLOW 1e-13
/* of the energy before: what expansion may give back beyond its share | rounding */
#define TOL_CONTACT_ENERGY 1e-13
/* of a coefficient of friction: how closely the one from which on there is no single motion is found | rounding */
#define TOL_CONTACT_BLAME 1e-13

/* ---- masses and singular positions ---- */
/* of a mass: a pivot that is 0 on the constraints is no loss | rounding of the elimination */
#define TOL_PIVOT 1e-9
/* of a step: how closely the least mass inside it is located | judged */
#define TOL_MASS_DIP 1e-5
/* of its largest: below it the least kept singular value has stages projected: an error eps in positions is one of
   eps/d^3 in accelerations, d the distance to the singular position */
#define TOL_NEAR 0.1
/* ... a passage begins | judged */
#define TOL_ENTER 1e-2
/* ... and ends: above where it begins, so that it is told once */
#define TOL_LEAVE 3e-2
/* rtol is not asked for more than that there: rounding moves as much */
#define TOL_PASSAGE_RTOL 1e-6
/* of a step: a least value so near to its ends is that of the ends */
#define TOL_PASSAGE_HAIR 1e-3
/* by the largest least singular value so far: below it a position is singular itself | rounding over its cube, which is
   as large as the accelerations */
#define TOL_SINGULAR 1e-4
/* ... and for our own pairs by so many rtol, where that is less | what is known from beside it is known to 1e-9 */
#define TOL_SINGULAR_RTOL 1e4
/* rows of which less is left beside others there, or less than that part of what they are beside it, do not hold |
   above what lies below, below TOL_ASIDE */
#define TOL_SINGULAR_ROWS 1e-5
#define TOL_SINGULAR_PART 1e-2
/* of the last clear step: how far beside such a position is tried first; by the largest least singular value: how much
   of it there has to be, and may be | rounding over its cube, and the fourth power of the way, are next to nothing */
#define TOL_ASIDE_FIRST 1e-2
#define TOL_ASIDE 4e-3
#define TOL_ASIDE_MOST 1.2e-2
/* of how far the farthest coordinate goes, by mass: those below have no part in how large atol is */
#define TOL_SHARE 1e-2

/* ---- the equation at a state (dynamics) ---- */
/* of what its single multipliers do: a value that changes by less along null(A') is unique | rounding of the rows of w
   */
#define TOL_CHOICE 1e-9
/* ... or by less than that part of itself */
#define TOL_CHOICE_LEAST 1e-14
/* ... or by less than that part of the terms it is made of | their rounding, and constraints kept to some 1e-13 */
#define TOL_CHOICE_TERMS 1e-11
/* a pivot of the differentiated equation by the largest: below it rows depend on one another */
#define TOL_DERIVED 1e-11

/* of the terms: motions of two sets of contacts that press differ by more, or are one | half the digits */
#define TOL_SAME_MOTION 1e-7

/* ---- dry friction ---- */
/* of the largest pivot: a direction along the surface that depends on others | rounding of a product of three */
#define TOL_FRICTION_PIVOT 1e-12
/* of a row: less than that beside the directions of V is along the surface | half the digits, and some */
#define TOL_FRICTION_SURFACE 1e-9
/* the same of one that was along the surface: it was so by chance | judged: far above what singular positions lose */
#define TOL_FRICTION_UNSEEN 1e-3
/* of the terms of a force or of V': counts as rounding | rounding, and the solve it went through */
#define TOL_FRICTION_ROUNDING 1e-11
/* the same where stick gave way: the end of it was found so late | half the digits */
#define TOL_FRICTION_LATE 1e-6
/* of the terms of V': more is asked for by constraints, and nothing holds there | half the digits */
#define TOL_FRICTION_ASKED 1e-8
/* of the terms of V': its part beside the direction of sliding is met | rounding */
#define TOL_FRICTION_TURNED 1e-12
/* of the terms of V': two choices of what holds give the same motion | half the digits */
#define TOL_FRICTION_SAME 1e-8
/* of what a force does where nothing but masses stands in its way: what moves by less is held by others | half the
   digits */
#define TOL_FRICTION_FULL 1e-8
/* of what V could be by what moves: slower is rest | half the digits, and some */
#define TOL_FRICTION_REST 1e-9
/* the same of a speed that has changed its sign: what is faster has jumped | judged: far above a step's error */
#define TOL_FRICTION_STOPPED 1e-3
/* of the energy of V alone: to stop it took so much more, and ... | judged: levers of 100 */
#define TOL_FRICTION_TAKEN 1e4
/* ... of all that moved at the step's start: it was no rest | far above what is left of V where it came to rest, by
   levers of 1e4, and no more than a velocity may be off unseen */
#define TOL_FRICTION_PART 1e-10
/* of the model's unit of time: what the forces make and undo within it is rest | rounding of a time of 1 */
#define TOL_FRICTION_MOMENT 1e-14
/* of the mass that a constraint moves with a coordinate: with less it has none of its own | far above rounding */
#define TOL_FRICTION_HELD 1e-12
/* a coefficient of rest below that of sliding by more is refused | digits that people write down */
#define TOL_FRICTION_STATIC 1e-6
/* of the forces: what is as good as 0 of the reserve of what holds | rounding */
#define TOL_FRICTION_RESERVE 1e-12
/* of the speed that is rest: what is as good as 0 of a speed | far below it */
#define TOL_FRICTION_SPEED 1e-3
/* of the largest load of friction: what is as good as 0 of one that changes its sign | rounding */
#define TOL_FRICTION_LOAD 1e-11
/* of rtol: the same, where that is more | judged: far below what a step may miss */
#define TOL_FRICTION_LOAD_PART 1e-3
/* of a load before and after: one of several rows that becomes no less where it changes its side has turned */
#define TOL_FRICTION_TURNS 1e-3
/* of the largest reaction: a share of the load that is tried, where others could bear it | far above rounding */
#define TOL_OPEN_SHARE 1e-6
/* the same: what is rounding of it then */
#define TOL_OPEN_ROUNDING 1e-9

/* ---- points for plans (motion) ---- */
/* a change beside 1 + |q|: there, and a direction below it moves nothing */
#define TOL_SAMPLE 1e-9
/* an entry of a shortened row by its terms: less is rounding that numbers which are not exact leave */
#define TOL_CLEAR 1e-8
/* a change of q'' by refinement, beside q'': more is passed on to the robust solve | decision 0014 */
#define TOL_REFINED 1e-7

/* ---- equilibria, linearization, modes (analyze) ---- */
/* `rank_tol` of a linearization: rows closer to one another depend | that of a state on the constraints */
#define TOL_LINEAR_RANK TOL_RANK
/* residuals by their terms | judged */
#define TOL_EQUILIBRIUM 1e-11
/* eigenvalues of a sampled loop this near to the unit circle lie on it | the root of rounding, for defective ones */
#define TOL_CIRCLE 1e-8
/* rows by their terms, while points are brought onto them | rounding */
#define TOL_SEARCH_ROW 1e-14
/* rows closer than that depend, off the constraints | as TOL_RANK_OFF */
#define TOL_SEARCH_RANK 1e-7
/* a point whose rows miss by more is on no constraints */
#define TOL_SEARCH_MEETS 1e-6
/* of what counts as one: a last step that is longer has found nothing */
#define TOL_SEARCH_STEP 1e-3
/* of what counts as one: shown as 0 where that is as good */
#define TOL_SEARCH_ZERO 1e-13
/* residuals by their scale: nothing is left */
#define TOL_SEARCH_DONE 1e-15
/* of the residuals: what a longer step may leave of them */
#define TOL_SEARCH_ALL_BUT 1e-2
/* of the fastest: a velocity below it is that of a coordinate which does not move */
#define TOL_STILL 1e-12
/* singular values by the largest: below it they are 0 */
#define TOL_NULL 1e-9
/* of its row: a derivative below it is none */
#define TOL_CYCLIC 1e-12
/* a point beside another is on the constraints when rows miss by less, by their size */
#define TOL_BESIDE_ROW 1e-11
/* of what counts as one: how far beside */
#define TOL_BESIDE 1e-2
/* a row of which less is left by others, by its size, depends on them */
#define TOL_DEPENDS 1e-9
/* gains that move rows against one another by more than that do */
#define TOL_GAINS_COMMUTE 1e-9
/* of a dependency: rows with a smaller share are not named */
#define TOL_GAINS_SHARE 1e-6
/* of a coordinate, beside 1 + |q|: where inertia is looked at again | half the digits */
#define TOL_INERTIA_PROBE 1e-6
/* least pivot over the largest: only then is it worth looking closer */
#define TOL_INERTIA_DOUBT 1e-10
/* rows closer than that depend there */
#define TOL_INERTIA_RANK 1e-5
/* one candidate is better than another by more than that part */
#define TOL_MORE 1e-9
/* a point within this of a kink, relative to the state, stands at it | half the digits */
#define TOL_KINK_NEAR 1e-8
/* a derivative that jumps by less does not */
#define TOL_KINK_JUMP 1e-9
/* of a coordinate of 1: rounding */
#define TOL_ONE 1e-13
/* of what a coordinate is: a way below that says nothing of what counts as one */
#define TOL_ONE_WAY 1e-10
/* of X - lambda I, relative to its size */
#define TOL_MODES_RANK 1e-10
/* the same, where all modes are slow: what rounding and the point leave */
#define TOL_MODES_RANK_LEAST 1e-12
/* of a simple eigenvalue, relative to the largest one */
#define TOL_MODES_AXIS 1e-9
/* eigenvalues of a Jordan block of two stray by sqrt(epsilon) */
#define TOL_MODES_CLUSTER 1e-5
/* way to the constraints, relative to the coordinates */
#define TOL_POINT_OFF 1e-8
/* accelerations, relative */
#define TOL_POINT_REST 1e-8
/* of the matrix along the motion, relative */
#define TOL_POINT_CHANGE 1e-8
/* of the matrix off the tangent space, relative */
#define TOL_POINT_LEAK 1e-6
/* of the forces: what friction leaves over holds */
#define TOL_REST_PULL 1e-8

/* a velocity that constraints ask for at rest: they move by more | digits that people write down */
#define TOL_UNREST_MOVES 1e-9
/* of an acceleration or a rate: one that differs by less from state to state is one and the same | rounding */
#define TOL_UNREST_SAME 1e-12

/* of its frequency: a resonance is drawn no narrower | judged: far below any damping that is known */
#define TOL_RESONANCE 1e-4
/* of its size: a mode whose real part is smaller neither dies out nor grows in a figure | judged */
#define TOL_DIES 1e-3

/* of the matrix: what inverse iteration adds to a pivot that vanishes | rounding */
#define TOL_SHAPE_PIVOT 1e-14
/* no number at all: keeps a division by 0 from happening | below all that is */
#define TOL_TINY 1e-300
/* of the largest: an entry of the shape of a mode that is smaller is shown as 0 | rounding */
#define TOL_SHAPE_ZERO 1e-13
/* of the largest: coordinates that move by less stand still in a mode, which is of states alone | rounding */
#define TOL_SHAPE_STILL 1e-12

/* of the largest, and of the terms: below it an input moves nothing on the constraints, and a rate of it is not in an
   output | rounding of a null space */
#define TOL_DRIVEN 1e-12
/* of what an input asks of the rows: they follow it as far as this | above rounding, at the tolerance of their rank */
#define TOL_DRIVEN_MEETS 1e-9

/* of 1 + coordinates: equilibria closer than this are one | judged: far above the error of each */
#define TOL_BRANCH_SAME 1e-6
/* of a state, number by number: an equilibrium found twice is one, without a look at its modes | judged: far above the
   error of each */
#define TOL_OTHER_SAME 1e-9
/* of the fastest mode: eigenvalues closer than this are of one equilibrium, or of one family | judged: far above what
   the error of a state makes of them */
#define TOL_OTHER_MODES 1e-6
/* of 1 + coordinates: how far beside an equilibrium others are first looked for | judged */
#define TOL_BRANCH_BESIDE 1e-3

/* ---- what reports show (output) ---- */
/* of 1 + a number: one that differs by less is the same, and is not said again | digits that are printed */
#define TOL_SHOWN_SAME 1e-9
/* of the largest part of a force: smaller ones are not counted | rounding */
#define TOL_SHOWN_FORCE 1e-12
/* of the largest force, or velocity: a smaller one is 0 | rounding */
#define TOL_SHOWN_STILL 1e-14
/* of the load of friction: what is asked of it is 0 below that | rounding */
#define TOL_SHOWN_PULL 1e-13
/* of a dependency: rows with a smaller share are not named | far above rounding */
#define TOL_DEPENDS_SHARE 1e-9
/* of the masses of its coordinates: along a direction with less there is none | rounding */
#define TOL_NO_MASS 1e-12
/* of the shape of a mode: an entry moves with the first, or against it, but for that | what four digits show */
#define TOL_SHAPE_ALONG 1e-6
/* of its largest entry: smaller ones are not shown | judged */
#define TOL_SHAPE_SHOWN 1e-3

/* ---- laws of inputs (system) ---- */
/* of 1: what a state is no smaller than where the step of a difference is taken of it | judged */
#define TOL_LAW_STEP 1e-3

/* ---- rows that follow the motion (simulate/follow.c) ---- */
/* of a column's range: a straight line between two rows may miss it by this | judged: what a figure does not show */
#define TOL_FOLLOW_MISS 2e-3
/* of its range: below it a column does not change | half the digits */
#define TOL_FOLLOW_FLAT 1e-6
/* of the spacing: a time so near to a row of the grid is that row | half the digits */
#define TOL_FOLLOW_GRID 1e-6
/* of the time: a kink so near behind is the one just passed | rounding */
#define TOL_FOLLOW_KINK 1e-12

#endif
