# What Doxygen reads in place of a header: the comment at its top is about the file, and what stands behind `Var w, b;`
# is about both.
NR == 1 && /^\/\/ [a-z_0-9]+\.hpp/ { sub(/^\/\/ /, "/// \\file "); sub(/\.hpp — /, ".hpp \\brief "); top = 1; print; next }
top && /^\/\// { sub(/^\/\//, "///"); print; next }
{ top = 0 }
/([{]|^enum .*;) +\/\/\/< / {
  text = $0
  sub(/ *\/\/\/<.*/, "")
  sub(/.*\/\/\/< /, "", text)
  $0 = "/** " text " */ " $0
}
match($0, /^(struct|class) [A-Z][A-Za-z0-9]*/) && /[{]$/ { type_name = substr($0, RSTART, RLENGTH); sub(/.* /, "", type_name) }
!described && $0 ~ "^  (explicit )?" type_name "\\(.*[^;]$|^  (explicit )?" type_name "\\(.*\\);$" { $0 = "/** See the description of \\ref heed::" type_name ". */ " $0 }
!described && /^  (Var|LinearOutput|RecurrentOutput) operator\(\)\(/ { $0 = "/** See the description of \\ref heed::" type_name ". */ " $0 }
{ described = /^ *\/\/\// }
match($0, /;  *\/\/\/< /) && /^ *[A-Za-z_:<>]+ [a-z_0-9]+( = [^,;]+)?(, [a-z_0-9]+( = [^,;]+)?)+;/ {
  text = substr($0, RSTART + RLENGTH)
  declared = substr($0, 1, RSTART - 1)
  match(declared, /^ *[A-Za-z_:<>]+ /)
  type = substr(declared, 1, RLENGTH)
  count = split(substr(declared, RLENGTH + 1), names, /, /)
  line = ""
  for (i = 1; i <= count; i++) line = line "/** " text " */ " type names[i] "; "
  print line
  next
}
{ print }
