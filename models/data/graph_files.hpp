// graph_files.hpp — graphs from tables, and molecules.
#pragma once

#include "models/data/molecule.hpp"

namespace HEED_NAMESPACE {

/// One graph. `nodes` has a line for each node, counted from 0: numbers and a label, with commas between (`?` when it
/// is not known; a first line of names is left out). `edges` has lines `from,to` or `from,to,type`; an edge counts both
/// ways unless `directed`. `classes` are all there are; none: those found. Throws a DataError with file, line and
/// reason.
ExampleSet read_graph(const std::string& nodes, const std::string& edges, bool directed = false,
                      const std::vector<std::string>& classes = {});

/// A molecule written in a part of SMILES (Weininger 1988; opensmiles.org): the elements of molecule.hpp, in brackets
/// with isotope, chirality, hydrogens, charge and class, of which only hydrogens count; aromatic b c n o p s; bonds
/// - = # : and / \ for -; branches, ring closures with one digit or %dd, parts with "." between. No quadruple bonds, no
/// other elements, no wildcards. Hydrogens become atoms of their own. Throws a Fault, with the column, for anything
/// else and for more than 1000 atoms.
Example read_smiles(std::string_view text);

/// Lines of SMILES TAB label. `classes` are all there are; none: those found. Throws a DataError with file, line and
/// reason.
ExampleSet read_molecules(const std::string& path, const std::vector<std::string>& classes = {});

}  // namespace HEED_NAMESPACE
