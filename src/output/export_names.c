/* Names that exported code cannot have: its type, its files and its functions are called by them. */
#include <mech/output.h>

#include <string.h>

/* Words between single spaces. */
static const char keywords[] =
    " alignas alignof asm auto bool break case char const constexpr continue default do double else enum "
    "extern false float for goto if inline int long nullptr register restrict return short signed sizeof "
    "static static_assert struct switch thread_local true typedef typeof union unsigned void volatile while ";

/* A folder that is searched first would give its NAME.h for <NAME.h>, here or within the system's headers. */
static const char headers[] =
    " alloca assert complex ctype endian errno features fenv float fundamental inttypes iso646 limits locale "
    "malloc math memory setjmp signal stdalign stdarg stdatomic stdbool stdckdint stddef stdint stdio stdlib "
    "stdnoreturn string strings tgmath threads time uchar unistd wchar wctype ";

/* Of <math.h>; with f or l behind them too. */
static const char functions[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 "
    "fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma "
    "llrint "
    "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder "
    "remquo "
    "rint round scalb scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn ";

/* What else <math.h>, <stddef.h>, <stdio.h>, <string.h> and <float.h> declare, also as compilers do by
 * themselves. */
static const char declared[] =
    " BUFSIZ DECIMAL_DIG EOF FILE FILENAME_MAX FOPEN_MAX HUGE_VAL HUGE_VALF HUGE_VALL INFINITY L_ctermid "
    "L_tmpnam "
    "MATH_ERREXCEPT MATH_ERRNO NAN NULL P_tmpdir TMP_MAX bcmp bcopy bzero clearerr clearerr_unlocked ctermid "
    "double_t dprintf explicit_bzero fclose fdopen feof feof_unlocked ferror ferror_unlocked fflush "
    "fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetpos fgets fileno fileno_unlocked float_t "
    "flockfile "
    "fmemopen fopen fpclassify fpos_t fprintf fputc fputc_unlocked fputs fread fread_unlocked freopen fscanf "
    "fseek fseeko fsetpos ftell ftello ftrylockfile funlockfile fwrite fwrite_unlocked getc getc_unlocked "
    "getchar getchar_unlocked getdelim getline gets getw index isfinite isgreater isgreaterequal isless "
    "islessequal islessgreater isnormal isunordered lgamma_r lgammaf_r lgammal_r linux locale_t "
    "math_errhandling max_align_t memccpy memchr memcmp memcpy memmove memset off_t offsetof open_memstream "
    "pclose perror popen printf ptrdiff_t putc putc_unlocked putchar putchar_unlocked puts putw remove "
    "rename "
    "renameat rewind rindex scanf setbuf setbuffer setlinebuf setvbuf signbit signgam size_t snprintf "
    "sprintf "
    "sscanf ssize_t stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l strcat strchr strcmp strcoll "
    "strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strlen strncasecmp strncasecmp_l strncat "
    "strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r strxfrm "
    "strxfrm_l tempnam tmpfile tmpnam tmpnam_r ungetc unix va_list vdprintf vfprintf vfscanf vprintf vscanf "
    "vsnprintf vsprintf vsscanf wchar_t ";
static const char *const families[] = {"DBL_", "FLT_", "LDBL_", "FP_", "M_", "SEEK_", "SMALL_", "small_"};

/* Of the code itself; the functions of small are called small_start and so on. */
static const char own[] =
    " "
    "ALLOWS_CHOICE ALLOWS_NEGATIVE AT CONTROL_G CONTROL_NATURE CONTROL_W DOUBT DROP FIXED FOLLOWS "
    "FOLLOW_KEPT FOLLOW_WORK FRICTION_CHOICES_MOST FRICTION_MOST FRICTION_SEARCH_MOST FRICTION_TURNS "
    "G_column G_row INNER LATE_CONTROLS LAWS_READ LIKELY MASS MISSED PART RANK SINCOS SIZE "
    "TOL_FRICTION_ASKED TOL_FRICTION_FULL TOL_FRICTION_HELD TOL_FRICTION_LATE TOL_FRICTION_MOMENT TOL_FRICTION_PIVOT TOL_FRICTION_REST "
    "TOL_FRICTION_ROUNDING TOL_FRICTION_SAME TOL_FRICTION_SURFACE TOL_FRICTION_TURNED TOL_FRICTION_UNSEEN WEAK WITH_CONTROL "
    "WITH_FORCES WITH_FRICTION WITH_JACOBIAN WITH_LAWS WITH_ROOTS WITH_SEARCH damping_column damping_row "
    "dampings declared directions fill_slopes first_row friction_accepts friction_add_direction "
    "friction_answer friction_begin_along friction_beside friction_change friction_choices friction_choose_modes "
    "friction_column friction_dot friction_find_normal friction_find_seen friction_first "
    "friction_first_wrong friction_force friction_is_held friction_is_met friction_is_of_choice friction_is_on friction_is_same_motion friction_is_still "
    "friction_keep friction_kinds_of friction_largest friction_law friction_learn friction_list_choices "
    "friction_load friction_load_slope friction_look friction_mass friction_may_hold friction_may_slide "
    "friction_mode friction_modes friction_norm friction_normal friction_point_along friction_push_on "
    "friction_rate friction_remove_normal friction_rest_speed friction_rows friction_search friction_see "
    "friction_see_row friction_seen friction_side friction_signed_slope friction_sizes friction_slip friction_solve "
    "friction_solve_turning friction_state friction_step_by_step friction_surface friction_take_choice "
    "friction_turn friction_turning friction_w from_held from_table i2 i4 i8 in_force invert2 is_control "
    "is_missed law_constraint law_entries law_first law_is_on law_is_root law_of law_row law_slopes "
    "list_active list_late load_first main param_kind pivot pivot2 points sincos2 sincos4 sincos8 "
    "slip_column slip_entries slip_row slope_entry slope_row small start_time step stiffness_column "
    "stiffness_row stiffnesses v2 v4 v8 y ";

static int is_among(const char *words, const char *name, size_t length)
{
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[length] == ' ') return 1;
    return 0;
}

static int is_declared(const char *name, size_t length)
{
    char base[MECH_EXPORT_NAME + 1];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0) return 1;
    if (is_among(declared, name, length) || is_among(functions, name, length)) return 1;
    if (name[length - 1] != 'f' && name[length - 1] != 'l') return 0;
    memcpy(base, name, length);
    base[length - 1] = '\0';
    return length > 1 && is_among(functions, base, length - 1);
}

const char *mech_export_name_obstacle(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t length = strlen(name);
    if (length == 0 || length > MECH_EXPORT_NAME || strspn(name, letters) != length || strspn(name, letters + 52) > 0)
        return "is no name: it takes letters, digits and underscores, a letter first, at most 60";
    if (is_among(keywords, name, length)) return "is a word of C";
    if (is_among(headers, name, length)) return "would hide a header of that name from the compiler";
    if (is_declared(name, length)) return "is declared by the C library";
    if (is_among(own, name, length)) return "is used within the code";
    return NULL;
}
