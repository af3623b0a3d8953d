# cmake -DARCHIVE=FILE -DNM=nm -DOBJCOPY=objcopy -P prefix.cmake: global names of the archive that do not begin with mech_ get
# mech__ in front, so that `lu_solve` of ours and of a program that links the archive are two. Members stay apart: a program links
# what it uses. Names with two underscores are the compiler's (sanitizers).
execute_process(COMMAND ${NM} -g --defined-only ${ARCHIVE} OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} cannot read ${ARCHIVE}")
endif()
string(REGEX MATCHALL "[0-9a-fA-F]+ [A-Z] [^\n]+" symbols "${listing}")
set(map "")
foreach(symbol ${symbols})
  string(REGEX REPLACE "^[0-9a-fA-F]+ [A-Z] " "" name "${symbol}")
  if(NOT name MATCHES "^(mech_|__|\\.)") # names with a point are the compiler's on Windows
    string(APPEND map "${name} mech__${name}\n")
  endif()
endforeach()
file(WRITE ${ARCHIVE}.names "${map}")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${ARCHIVE}.names ${ARCHIVE} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${OBJCOPY} cannot rename the names of ${ARCHIVE}")
endif()
