-- Records say which part of their log they are; a log in lines has no parts, and until then there was no other.
-- reads: old
-- params: none
-- grain: row of version 1
select *, '' as origin from old
