/* Words of `draw`. */
#ifndef LANG_DRAW_H
#define LANG_DRAW_H

extern const char *const lang_draw_kinds[]; /* in the order of mech_draw_kind */
typedef enum lang_draw_word {
    DRAW_EXPRESSION = -1, /* a point of it */
    DRAW_RADIUS,
    DRAW_SIZE,
    DRAW_TURN,
    DRAW_FRAME,
    DRAW_SCALE,
    DRAW_WIDTH,
    DRAW_WHEN,
    DRAW_COLOUR
} lang_draw_word;
extern const char *const lang_draw_words[];

#endif
