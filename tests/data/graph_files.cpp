#include "models/data/graph_files.hpp"

#include <algorithm>
#include <map>

#include "tests/data/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// The elements of a molecule in the order of their names, and its bonds by kind: "CCHHHHHHO 8- 0= 0# 0:".
std::string summary(std::string_view smiles) {
  Example item = read_smiles(smiles);
  item.targets = {-1};
  ExampleSet set = molecule_set({});
  CHECK(fault_of(set, item) == "");
  std::map<std::string, int> counts;
  for (int symbol : item.symbols) counts[set.names[static_cast<std::size_t>(symbol)]]++;
  std::string text;
  for (const auto& [name, count] : counts) text += name + (count > 1 ? std::to_string(count) : "");
  std::vector<std::size_t> kinds(bond_types);
  for (const GraphEdge& e : item.edges) kinds[static_cast<std::size_t>(e.type)]++;
  for (std::size_t k = 0; k < kinds.size(); k++)
    if (kinds[k]) text += " " + std::to_string(kinds[k] / 2) + "-=#:"[k];
  return text;
}

std::string refusal(std::string_view smiles) {
  try {
    read_smiles(smiles);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_CASE("graph files: nodes and edges") {
  Folder folder;
  std::string nodes = folder.write("n", "x,y,class\n1,2,b\n3,4,a\n5,6,?\n"),
              edges = folder.write("e", "0,1\n2,2\n1,2,3\n");
  ExampleSet set = read_graph(nodes, edges);
  CHECK(set.classes == std::vector<std::string>{"a", "b"});
  CHECK(set.edge_types == 4);
  REQUIRE(set.items.size() == 1);
  const Example& graph = set.items[0];
  CHECK(fault_of(set, graph) == "");
  CHECK(graph.features == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(graph.targets == std::vector<int>{1, 0, -1});
  REQUIRE(graph.edges.size() == 5);
  CHECK(graph.edges[1].from == 1);
  CHECK(graph.edges[1].to == 0);
  CHECK(graph.edges[4].type == 3);
  CHECK(read_graph(nodes, edges, true).items[0].edges.size() == 3);
  CHECK(read_graph(nodes, folder.write("e", "from,to\n0,1\n")).items[0].edges.size() == 2);
  auto fault = [&](const std::string& n, const std::string& e) {
    folder.write("n", n), folder.write("e", e);
    return fault_in(folder, [&] { read_graph(folder / "n", folder / "e"); });
  };
  CHECK(fault("1,a\n2,b\n", "0,1\n") == "");
  CHECK(fault("1,a\r\n2,b\r\n", "0,1\r\n") == "");
  CHECK(fault("", "0,1\n") == "n: the file is empty");
  CHECK(fault("1,a\n", "") == "e: the file is empty");
  CHECK(fault("1,a\n2,3,b\n", "0,0\n") == "n:2: expected 1 numbers and a label, found 2 numbers");
  CHECK(fault("1,a\nb\n", "0,0\n") == "n:2: expected 1 numbers and a label, found 0 numbers");
  CHECK(fault("1,a\nx,b\n", "0,0\n") == "n:2: column: expected a number, found 'x'");
  CHECK(fault("1,a\n", "0,1\n") == "e:1: to: expected a whole number from 0 to 0, found '1'");
  CHECK(fault("1,a\n", "0,0\n-1,0\n") == "e:2: from: expected a whole number from 0 to 0, found '-1'");
  CHECK(fault("1,a\n", "0\n") == "e:1: to: expected a whole number from 0 to 0, found ''");
  CHECK(fault("1,a\n", "0,0,x\n") == "e:1: type: expected a whole number from 0 to 999, found 'x'");
  CHECK(fault("1,a\n", "0,0,0,0\n") == "e:1: type: expected a whole number from 0 to 999, found '0,0'");
  CHECK(fault("1,a\n", "99999999999,0\n").starts_with("e:1: from: expected a whole number"));
  CHECK(fault("x,class\n", "0,0\n") == "n: no node in it");
}

TEST_CASE("molecules: SMILES, with hydrogens as the valences leave them") {
  CHECK(summary("C") == "CH4 4-");                          // methane
  CHECK(summary("CCO") == "C2H6O 8-");                      // ethanol
  CHECK(summary("C=C") == "C2H4 4- 1=");                    // ethene
  CHECK(summary("C#N") == "CHN 1- 1#");                     // hydrogen cyanide
  CHECK(summary("CC(=O)O") == "C2H4O2 6- 1=");              // acetic acid
  CHECK(summary("C1CCCCC1") == "C6H12 18-");                // cyclohexane
  CHECK(summary("c1ccccc1") == "C6H6 6- 6:");               // benzene
  CHECK(summary("c1ccc2ccccc2c1") == "C10H8 8- 11:");       // naphthalene
  CHECK(summary("c1ccccc1-c2ccccc2") == "C12H10 11- 12:");  // biphenyl
  CHECK(summary("c1ccncc1") == "C5H5N 5- 6:");              // pyridine
  CHECK(summary("c1cc[nH]c1") == "C4H5N 5- 5:");            // pyrrole
  CHECK(summary("c1ccsc1") == "C4H4S 4- 5:");               // thiophene
  CHECK(summary("CS(=O)(=O)C") == "C2H6O2S 8- 2=");         // dimethyl sulfone
  CHECK(summary("[NH4+].[Cl-]") == "ClH4N 4-");             // ammonium chloride
  CHECK(summary("N[C@@H](C)C(=O)O") == "C3H7NO2 11- 1=");   // alanine
  CHECK(summary("F/C=C/F") == "C2F2H2 4- 1=");              // difluoroethene
  CHECK(summary("ClCBr") == "BrCClH2 4-");
  CHECK(summary("[13CH4]") == "CH4 4-");
  CHECK(summary("[H][H]") == "H2 1-");
  CHECK(summary("[O-][N+](=O)c1ccccc1") == "C6H5NO2 7- 1= 6:");  // nitrobenzene
  CHECK(summary("C%12CC%12") == "C3H6 9-");
  CHECK(summary("C=1CCCCC=1") == summary("C1=CCCCC1"));
  CHECK(summary("CC(C)(C)c1ccc(O)cc1") == "C10H14O 19- 6:");
  CHECK(summary("CN1C=NC2=C1C(=O)N(C(=O)N2C)C") == "C8H10N4O2 21- 4=");  // caffeine
  CHECK(summary("OP(=O)(O)O") == "H3O4P 6- 1=");
}

TEST_CASE("molecules: what is no such SMILES") {
  CHECK(refusal("") == "SMILES, column 1: no atom");
  CHECK(refusal("C(") == "SMILES, column 3: a branch is not closed");
  CHECK(refusal("C)") == "SMILES, column 2: \")\" closes nothing");
  CHECK(refusal("(C)") == "SMILES, column 1: a branch before any atom");
  CHECK(refusal("C=") == "SMILES, column 3: a bond leads nowhere");
  CHECK(refusal("C(=)C") == "SMILES, column 4: a bond leads nowhere");
  CHECK(refusal("=C") == "SMILES, column 1: a bond from nowhere");
  CHECK(refusal("C==C") == "SMILES, column 3: a bond from nowhere");
  CHECK(refusal("C1CC") == "SMILES, column 5: a ring is not closed");
  CHECK(refusal("1CC1") == "SMILES, column 1: a ring before any atom");
  CHECK(refusal("C11") == "SMILES, column 4: an atom bound to itself");
  CHECK(refusal("C1C1") == "SMILES, column 5: two bonds between the same atoms");
  CHECK(refusal("C=1CC#1") == "SMILES, column 8: a ring that closes with another bond");
  CHECK(refusal("C%1") == "SMILES, column 4: expected a digit");
  CHECK(refusal("[C") == "SMILES, column 3: expected \"]\"");
  CHECK(refusal("[]") == "SMILES, column 2: expected an atom, found ']'");
  CHECK(refusal("[Na+]") == "SMILES, column 3: expected \"]\"");
  CHECK(refusal("[1234C]") == "SMILES, column 5: a number of more than three digits");
  CHECK(refusal("C$C") == "SMILES, column 2: expected an atom, found '$'");
  CHECK(refusal("*") == "SMILES, column 1: expected an atom, found '*'");
  CHECK(refusal("CH4") == "SMILES, column 3: hydrogen stands in brackets");
  CHECK(refusal("C C") == "SMILES, column 2: expected an atom, found ' '");
  CHECK(refusal(std::string(1001, 'C')) == "SMILES, column 1002: more than 1000 atoms");
  CHECK(refusal(std::string(500, 'C')) == "SMILES, column 501: more than 1000 atoms");
  CHECK(refusal("C" + std::string(100000, '(')) == "SMILES, column 100002: a branch is not closed");
}

TEST_CASE("molecules: a file of them") {
  Folder folder;
  ExampleSet set = read_molecules(folder.write("f", "CCO\twet\nCC\tdry\n"));
  CHECK(set.classes == std::vector<std::string>{"dry", "wet"});
  CHECK(set.items[0].targets == std::vector<int>{1});
  CHECK(make_batch(set, {0, 1}).length == 9);
  auto fault = [&](const std::string& text) {
    std::string path = folder.write("f", text);
    return fault_in(folder, [&] { read_molecules(path); });
  };
  CHECK(fault("CCO\twet\nC(\tdry\n") == "f:2: SMILES, column 3: a branch is not closed");
  CHECK(fault("CCO\n") == "f:1: the label is empty");
  CHECK(fault("") == "f: the file is empty");
}
