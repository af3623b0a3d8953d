/* mech export: a model as something another program uses. */
#include "common.h"
#include "say.h"

#include <mech/output.h>
#include <mech/simulate.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Aside, and renamed when it is whole. */
static int write_text(const char *folder, const char *name, const char *ending, const char *text)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s%s", folder, name, ending) >= (int)sizeof path) return 0;
    const mech_status status = mech_checkpoint_write(path, text, strlen(text));
    const int done = status == MECH_OK;
    if (status == MECH_ERR_MEMORY) say("mech export: '%s' cannot be written: out of memory\n", path);
    else if (!done) say("mech export: '%s' cannot be written (or is not a regular file); an earlier one is untouched\n", path);
    return done;
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return 1;
    say("mech export: the folder '%s' cannot be made\n", path);
    return 0;
}

static int write_all(const char *folder, const char *name, const mech_exported *files)
{
    char inner[4096];
    if (snprintf(inner, sizeof inner, "%s/fundamental", folder) >= (int)sizeof inner) return 0;
    if (!make_folder(folder) || !make_folder(inner)) return 0;
    return write_text(folder, name, ".h", files->header) && write_text(folder, name, ".c", files->source) &&
           write_text(folder, name, "_main.c", files->main) &&
           write_text(inner, "small", ".h", files->small_h) &&
           write_text(inner, "small", ".c", files->small_c);
}

/* The consistent start, where the model has one. */
static mech_status export_started(const mech_system *system, const char *name, mech_exported *files)
{
    mech_sim *sim = NULL;
    mech_status status = mech_sim_create(system, NULL, &sim);
    if (status == MECH_OK) status = mech_sim_start(sim);
    const int has_start = status == MECH_OK;
    if (status != MECH_ERR_MEMORY)
        status = mech_export_c(system, name, has_start ? mech_sim_time(sim) : 0,
                               has_start ? mech_sim_q(sim) : NULL, has_start ? mech_sim_v(sim) : NULL, files);
    mech_sim_free(sim);
    return status;
}

/* Its name, or NULL when all constraints are in force at the start. */
static const char *waiting_constraint(const mech_system *system)
{
    mech_eval *eval = NULL;
    const char *name = NULL;
    if (mech_eval_create(system, MECH_STORAGE_SPARSE, &eval) != MECH_OK) return NULL;
    for (size_t i = 0; i < mech_system_sizes(system).rows && !name; i++)
        if (!mech_eval_equation(eval)->active[i])
            name = mech_system_name(system, MECH_ITEM_CONSTRAINT, mech_system_row(system, i).constraint);
    mech_eval_free(eval);
    return name;
}

static int export_model(const opened *file, const char *folder, const char *name)
{
    mech_system *system = NULL;
    mech_exported files = {0};
    mech_status status = mech_system_from_model(file->model, file->diagnostics, &system);
    if (status == MECH_OK) status = mech_system_prepare_jacobian(system);
    if (status == MECH_OK) status = export_started(system, name, &files);
    int code = EXIT_OK;
    if (status == MECH_ERR_UNSUPPORTED) {
        const char *why = mech_system_motion_info(system).why, *waiting = waiting_constraint(system);
        if (waiting) say("mech export: constraint %s waits for an event; such models cannot be exported\n", waiting);
        else say("mech export: %s; such models cannot be exported\n", why);
        code = EXIT_MODEL;
    } else if (status != MECH_OK) {
        say("mech export: %s\n", mech_status_text(status));
        code = exit_code(status);
    } else if (!write_all(folder, name, &files)) {
        code = EXIT_MODEL;
    } else if (mech_system_sizes(system).events > 0) {
        fprintf(stderr, "mech export: note: events are left out: the code gives the motion between them\n");
    }
    mech_exported_free(&files);
    mech_system_free(system);
    return code;
}

static int run(const cli_args *args)
{
    const char *folder = cli_value(args, "-o"), *name = cli_value(args, "--name");
    if (strcmp(args->operands[0], "c") != 0) {
        say("mech export: there is 'c', not '%s'\n", args->operands[0]);
        return EXIT_USAGE;
    }
    if (!folder) {
        say("mech export: say where to with -o FOLDER\n");
        return EXIT_USAGE;
    }
    if (!name) name = "model";
    if (mech_export_name_obstacle(name)) {
        say("mech export: --name '%s' %s\n", name, mech_export_name_obstacle(name));
        return EXIT_USAGE;
    }
    opened file;
    int code = open_model(args, args->operands[1], &file);
    if (code == EXIT_OK) code = export_model(&file, folder, name);
    close_model(&file);
    return code;
}

static const cli_option options[] = {
    {"-o", "FOLDER", "where the files go"},
    {"--name", "NAME", "what they and their functions are called (default: model)"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

const cli_command command_export = {"export", "c FILE", "write the model as standalone C", 2, 2,
                                    options,  run};
