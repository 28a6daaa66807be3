// SPDX-License-Identifier: Apache-2.0
/* schema/end.h: the end of a list of columns: undefines the words of schema/words.h, but not those of the includer. */
#undef ANY
#undef NATURAL
#undef BESIDE
#undef BOOL
#undef ENUM
#undef STRING
#undef REF
#undef REF_OR_NONE
#undef FIRST
#undef TEXT
#undef TEXT_OR_NULL
#ifdef SCHEMA_STRUCTS
#undef SCHEMA_STRUCTS
#undef STRUCT_OF
#undef END_OF
#undef BEGIN
#undef END
#undef COLUMN
#endif
#ifdef SCHEMA_NO_SQL
#undef SCHEMA_NO_SQL
#undef KEY
#undef PROFILE
#undef OWNER
#undef COMPUTED
#endif
#undef MEMORY_ONLY
#undef HEADS
#undef NEXT
#undef READ
#undef RARE
#undef JOIN
