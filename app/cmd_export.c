/* mech export: a model as something another program uses. */
#include "common.h"
#include "guard.h"
#include "say.h"

#include <mech/assemble.h>
#include <mech/fmu.h>
#include <mech/output.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 5, LONGEST = 4096 };

typedef struct export_plan { /* what is written where */
    const char *folder, *name;
    char path[FILES][LONGEST], inner[LONGEST];
} export_plan;

static int make_plan(const char *folder, const char *name, export_plan *plan)
{
    static const char *const patterns[FILES] = {"%s/%s.h", "%s/%s.c", "%s/%s_main.c", "%s/fundamental/small.h",
                                                "%s/fundamental/small.c"};
    *plan = (export_plan){.folder = folder, .name = name};
    int fits = snprintf(plan->inner, LONGEST, "%s/fundamental", folder) < LONGEST;
    for (int k = 0; k < FILES; k++) fits &= snprintf(plan->path[k], LONGEST, patterns[k], folder, name) < LONGEST;
    if (!fits) say("mech export: the name of the folder is too long\n");
    return fits;
}

static int keeps_off(const export_plan *plan, const mech_system *system)
{
    guard_file files[FILES];
    for (int k = 0; k < FILES; k++)
        files[k] = (guard_file){
            .what = "the code", .option = k < 3 ? "--name or -o" : "-o", .path = plan->path[k], .in_new_folder = 1};
    return guard_files("export", system, NULL, files, FILES);
}

/* Aside, and renamed when it is whole. */
static int write_text(const char *path, const char *text)
{
    const mech_status status = mech_checkpoint_write(path, text, strlen(text));
    const int done = status == MECH_OK;
    if (status == MECH_ERR_MEMORY) say("mech export: '%s' cannot be written: out of memory\n", path);
    else if (!done)
        say("mech export: '%s' cannot be written (or is not a regular file); an earlier one is untouched\n", path);
    return done;
}

static int make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return 1;
    const int cause = errno;
    const int is_there = cause == EEXIST && stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode)) return 1;
    say("mech export: the folder '%s' cannot be made: %s\n", path,
        is_there ? "there is a file of that name" : strerror(cause));
    return 0;
}

static int write_all(const export_plan *plan, const mech_exported *files)
{
    const char *const texts[FILES] = {files->header, files->source, files->main, files->small_h, files->small_c};
    if (!make_folder(plan->folder) || !make_folder(plan->inner)) return 0;
    for (int k = 0; k < FILES; k++)
        if (!write_text(plan->path[k], texts[k])) return 0;
    return 1;
}

/* A word for the shell, without the ending. */
static void put_word(const char *word, const char *ending)
{
    const int length = (int)(strlen(word) - strlen(ending));
    const int is_plain =
        strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-") == strlen(word);
    putchar(' ');
    if (!is_plain) putchar('\'');
    for (int i = 0; i < length; i++) {
        if (word[i] == '\'') printf("'\\'");
        putchar(word[i]);
    }
    if (!is_plain) putchar('\'');
}

/* What there is now, and how it becomes a program. */
static void tell(const export_plan *plan)
{
    static const int sources[] = {2, 1, 4};
    printf("written       ");
    for (int k = 0; k < FILES; k++) printf("%s%s", k ? ", " : "", plan->path[k]);
    printf("\ncompile       cc -O2 -I");
    put_word(plan->folder, "");
    for (int k = 0; k < 3; k++) put_word(plan->path[sources[k]], "");
    printf(" -o");
    put_word(plan->path[1], ".c");
    printf(" -lm\n");
}

/* The consistent start, where the model has one. */
static mech_status export_started(const mech_system *system, const char *name, int is_single, mech_exported *files)
{
    mech_assemble_options options;
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    const char *word;
    mech_assemble_options_default(&options, sizeof options);
    mech_status status = mech_eval_create(system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK && (mech_eval_option(eval, "from", &options.t, &word) != 1 || !isfinite(options.t)))
        options.t = 0;
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, &options);
    mech_export_start start = {.size = sizeof start};
    if (status == MECH_OK)
        start = (mech_export_start){.size = sizeof start,
                                    .t = options.t,
                                    .q = mech_assembly_q(assembly),
                                    .v = mech_assembly_v(assembly),
                                    .z = mech_assembly_z(assembly)};
    else if (status != MECH_ERR_MEMORY)
        fprintf(stderr, "mech export: note: no start was found (%s): the example begins at 0\n",
                assembly ? mech_assembly_error_text(assembly) : mech_status_text(status));
    start.is_single = is_single;
    if (status != MECH_ERR_MEMORY) status = mech_export_c(system, name, &start, files);
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    return status;
}

static void note_omissions(const mech_system *system, const mech_exported *files)
{
    if (!strstr(files->header, "_jacobian("))
        fprintf(
            stderr,
            "mech export: note: the code has no Jacobian, as there is control, friction or a law of reactions or by z\n");
    if (mech_system_sizes(system).contacts > 0)
        fprintf(stderr,
                "mech export: note: one-sided constraints begin out of force; the caller puts in force what presses\n");
    if (mech_system_sizes(system).events > 0)
        fprintf(stderr, "mech export: note: of events the code has the triggers; what they do is left to the caller\n");
    if (mech_system_samples(system))
        fprintf(
            stderr,
            "mech export: note: 'every' is left out: what is sampled is a state of rate 0, which the caller sets\n");
    if (mech_system_stabilize(system) == MECH_STABILIZE_EXCESS)
        fprintf(
            stderr,
            "mech export: note: the gains of 'stabilize excess' are left out: nothing in the code holds the drift down\n");
}

/* "constraints floor, again": those that are marked; how many. */
static size_t list_marked(const mech_system *system, mech_item item, size_t count, const unsigned char *is_marked,
                          const char *word)
{
    enum { MOST = 12 };
    size_t marked = 0, said = 0;
    for (size_t k = 0; k < count; k++) marked += is_marked[k];
    if (marked) fprintf(stderr, "%s%s ", word, marked > 1 ? "s" : "");
    for (size_t k = 0; k < count && said < MOST; k++)
        if (is_marked[k]) fprintf(stderr, "%s%s", said++ ? ", " : "", mech_system_name(system, item, k));
    if (marked > MOST) fprintf(stderr, " and others");
    return marked;
}

/* What is one choice of many at the start: the code solves in another way than a run, and may choose another one. */
static void note_choices(const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    unsigned char *constraints = calloc(sizes.constraints + 1, 1), *outputs = calloc(sizes.outputs + 1, 1);
    const mech_status status =
        constraints && outputs ? mech_start_choices(system, constraints, outputs) : MECH_ERR_MEMORY;
    if (status == MECH_ERR_MEMORY)
        fprintf(stderr, "mech export: note: whether multipliers are unique at the start is not known: out of memory\n");
    else if (status == MECH_ERR_LIMIT)
        fprintf(
            stderr,
            "mech export: note: constraints depend on one another at the start: their multipliers are one choice of many, and the code may choose others than 'mech run'\n");
    else if (status == MECH_OK &&
             (memchr(constraints, 1, sizes.constraints + 1) || memchr(outputs, 1, sizes.outputs + 1))) {
        fprintf(stderr, "mech export: note: ");
        const size_t listed =
            list_marked(system, MECH_ITEM_CONSTRAINT, sizes.constraints, constraints, "the multipliers of constraint");
        if (listed && memchr(outputs, 1, sizes.outputs + 1)) fprintf(stderr, ", and ");
        list_marked(system, MECH_ITEM_OUTPUT, sizes.outputs, outputs, "output");
        fprintf(stderr, ", are not unique at the start: the code may choose others than 'mech run'\n");
    }
    free(constraints);
    free(outputs);
}

static int export_model(const opened *file, const cli_args *args, const char *folder, const char *name)
{
    export_plan plan;
    mech_system *system = NULL;
    mech_exported files = {0};
    const mech_system_options with = {
        .size = sizeof with, .with_derivatives = 1, .with_parameters = cli_value(args, "--slopes") != NULL};
    mech_status status = mech_system_create(file->model, &with, file->diagnostics, &system);
    if (status == MECH_OK) status = export_started(system, name, cli_value(args, "--single") != NULL, &files);
    int code = EXIT_OK;
    if (status == MECH_ERR_UNSUPPORTED) {
        say("mech export: %s; such models cannot be exported\n", mech_export_obstacle(system));
        code = EXIT_MODEL;
    } else if (status != MECH_OK) {
        say("mech export: %s\n", mech_status_text(status));
        code = exit_code(status);
    } else if (!make_plan(folder, name, &plan)) {
        code = EXIT_USAGE;
    } else if ((code = keeps_off(&plan, system)) == EXIT_OK) {
        if (!write_all(&plan, &files)) code = EXIT_NUMBERS;
        if (code == EXIT_OK) {
            note_omissions(system, &files);
            note_choices(system);
        }
        if (code == EXIT_OK && !cli_value(args, "--quiet")) tell(&plan);
    }
    mech_exported_free(&files);
    mech_system_free(system);
    return code;
}

/* The binary of units: $MECH_FMU, or fmu.so beside this program or where it is installed. 1 when it is there. */
static int find_binary(char path[LONGEST])
{
    const char *given = getenv("MECH_FMU");
    if (given) return snprintf(path, LONGEST, "%s", given) < LONGEST && access(path, R_OK) == 0;
    return find_part("fmu.so", path, LONGEST);
}

static const char *const unit_kinds[] = {
    [MECH_FMU_COSIMULATION] = "co-simulation",
    [MECH_FMU_EXCHANGE] = "model exchange",
    [MECH_FMU_COSIMULATION | MECH_FMU_EXCHANGE] = "co-simulation and model exchange",
};

/* What there is now, and what it stands on. */
static void tell_unit(const char *path, const mech_fmu_options *options)
{
    const mech_fmu_made *made = options->made;
    printf("written       %s\nunit          %s, FMI %d.0\nover          ", path, unit_kinds[options->kinds],
           options->fmi);
    if (made->over == MECH_FMU_OVER_LIBRARY)
        printf(made->why && options->kinds == MECH_FMU_EXCHANGE ? "the library, not C: %s\n" : "the library\n",
               made->why);
    else if (made->has_binary) printf("C: sources, and a binary for this machine\n");
    else printf("C: sources alone, no binary: %s\n", made->why);
}

static int export_unit(opened *file, const cli_args *args, const char *path, const char *name)
{
    const char *version = cli_value(args, "--fmi"), *kind = cli_value(args, "--kind"),
               *over = cli_value(args, "--over");
    char binary[LONGEST], names[CLI_MOST_VALUES][SET_NAME];
    mech_override overrides[CLI_MOST_VALUES];
    mech_fmu_options options;
    mech_fmu_made made = {.size = sizeof made};
    mech_system *system = NULL;
    mech_fmu_options_default(&options, sizeof options);
    options.name = name;
    options.made = &made;
    options.overrides = overrides;
    if (!read_overrides(args, overrides, names, &options.override_count)) return EXIT_USAGE;
    if (version && strcmp(version, "2") != 0 && strcmp(version, "3") != 0) {
        say("mech export: --fmi takes 2 or 3, not '%s'\n", version);
        return EXIT_USAGE;
    }
    if (version) options.fmi = version[0] - '0';
    if (kind && strcmp(kind, "cs") != 0 && strcmp(kind, "me") != 0 && strcmp(kind, "both") != 0) {
        say("mech export: --kind takes cs, me or both, not '%s'\n", kind);
        return EXIT_USAGE;
    }
    if (kind && strcmp(kind, "me") == 0) options.kinds = MECH_FMU_EXCHANGE;
    if (kind && strcmp(kind, "both") == 0) options.kinds = MECH_FMU_COSIMULATION | MECH_FMU_EXCHANGE;
    if (over && strcmp(over, "c") != 0 && strcmp(over, "library") != 0 && strcmp(over, "auto") != 0) {
        say("mech export: --over takes c, library or auto, not '%s'\n", over);
        return EXIT_USAGE;
    }
    if (over && strcmp(over, "c") == 0) options.over = MECH_FMU_OVER_C;
    if (over && strcmp(over, "library") == 0) options.over = MECH_FMU_OVER_LIBRARY;
    if (find_binary(binary)) options.binary = binary;
    else if (options.over != MECH_FMU_OVER_C) {
        say("mech export: the binary of units, fmu.so, is not beside this program nor where it is installed; MECH_FMU names it\n");
        return EXIT_USAGE;
    }
    const mech_system_options with = {.size = sizeof with, .with_derivatives = options.kinds & MECH_FMU_EXCHANGE};
    mech_status status = mech_system_create(file->model, &with, file->diagnostics, &system);
    const guard_file own = {.what = "the unit", .option = "-o", .path = path};
    const int code = status == MECH_OK ? guard_files("export", system, NULL, &own, 1) : EXIT_OK;
    if (status == MECH_OK && code == EXIT_OK) status = mech_export_fmu(system, path, &options, file->diagnostics);
    if (status == MECH_OK && code == EXIT_OK && made.over == MECH_FMU_OVER_C) note_choices(system);
    mech_system_free(system);
    if (code != EXIT_OK) return code;
    if (status != MECH_OK && mech_diagnostics_error_count(file->diagnostics) == 0)
        say("mech export: %s\n", mech_status_text(status));
    print_diagnostics(file);
    if (status == MECH_OK && !cli_value(args, "--quiet")) tell_unit(path, &options);
    return exit_code(status);
}

static int run(const cli_args *args)
{
    const char *folder = cli_value(args, "-o"), *name = cli_value(args, "--name");
    const int is_unit = strcmp(args->operands[0], "fmu") == 0;
    if (!is_unit && strcmp(args->operands[0], "c") != 0) {
        say("mech export: there are 'c' and 'fmu', not '%s'\n", args->operands[0]);
        return EXIT_USAGE;
    }
    if (!is_unit && (cli_value(args, "--fmi") || cli_value(args, "--kind") || cli_value(args, "--over"))) {
        say("mech export: --fmi, --kind and --over are for 'mech export fmu'\n");
        return EXIT_USAGE;
    }
    if (is_unit && (cli_value(args, "--slopes") || cli_value(args, "--single"))) {
        say("mech export: --slopes and --single are for 'mech export c'\n");
        return EXIT_USAGE;
    }
    if (!folder) {
        say(is_unit ? "mech export: say where to with -o FILE.fmu\n" : "mech export: say where to with -o FOLDER\n");
        return EXIT_USAGE;
    }
    if (!name) name = "model";
    if (mech_export_name_obstacle(name)) {
        say("mech export: --name '%s' %s\n", name, mech_export_name_obstacle(name));
        return EXIT_USAGE;
    }
    opened file;
    int code = open_model(args, args->operands[1], &file);
    if (code == EXIT_OK)
        code = is_unit ? export_unit(&file, args, folder, name) : export_model(&file, args, folder, name);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"-o", "PATH", "the folder where the files of 'c' go, or the file of the unit"},
    {"--name", "NAME", "what they and their functions are called (default: model)"},
    {"--fmi", "2|3", "the version of the standard, of 'fmu' (default: 2)"},
    {"--kind", "cs|me|both", "co-simulation (default), model exchange or both, of 'fmu'"},
    {"--over", "c|library|auto", "what model exchange stands on, of 'fmu' (default: C where it can be)"},
    {"--slopes", NULL, "derivatives by the parameters too, of 'c'"},
    {"--single", NULL, "float in place of double, of 'c'"},
    {"--quiet", NULL, "do not say what was written"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_export = {"export", "c|fmu FILE", "write the model as standalone C, or as a unit", 2, 2,
                                    options,  run};
