/* The file of a unit, by libzip: written aside and renamed when it is whole. */
#include "fmu/fmu.h"

#include "base/library.h"

#include <stdio.h>
#include <zip.h>

#define ZIP_FUNCTIONS(X)                                                                                               \
    X(zip_open)                                                                                                        \
    X(zip_close)                                                                                                       \
    X(zip_discard)                                                                                                     \
    X(zip_source_buffer)                                                                                               \
    X(zip_source_file)                                                                                                 \
    X(zip_source_free)                                                                                                 \
    X(zip_file_add)                                                                                                    \
    X(zip_file_set_mtime)                                                                                              \
    X(zip_strerror)
LIBRARY(zips, ZIP_FUNCTIONS, MECH_ZIP)

mech_status fmu_package(const char *path, const fmu_file *files, size_t count, char *why, size_t size)
{
    int error = 0;
    if (!zips_open()) {
        snprintf(why, size, "the library %s, which packs units, is not there (on Debian: apt-get install libzip4)",
                 MECH_ZIP);
        return MECH_ERR_UNSUPPORTED;
    }
    zip_t *zip = zips.zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!zip) {
        snprintf(why, size, "'%s' cannot be written", path);
        return MECH_ERR_FILE;
    }
    int is_good = 1;
    for (size_t i = 0; i < count && is_good; i++) {
        zip_source_t *source = files[i].data ? zips.zip_source_buffer(zip, files[i].data, files[i].length, 0)
                                             : zips.zip_source_file(zip, files[i].path, 0, -1);
        const zip_int64_t number = source ? zips.zip_file_add(zip, files[i].name, source, ZIP_FL_ENC_UTF_8) : -1;
        is_good = number >= 0 && zips.zip_file_set_mtime(zip, (zip_uint64_t)number, 315532800, 0) ==
                                     0; /* 1980: the same bytes each time */
        if (number < 0 && source) zips.zip_source_free(source);
    }
    if (is_good && zips.zip_close(zip) == 0) return MECH_OK;
    snprintf(why, size, "'%s' cannot be written: %s", path, zips.zip_strerror(zip));
    zips.zip_discard(zip);
    return MECH_ERR_FILE;
}
