package io.viaduct.cnapt;

import java.util.function.Consumer;

/// Scenarios of a simulated fleet, in their order: each begins with the fleet of the one before.
enum FleetScenario {
  START("start of the fleet", 30, _ -> {}),
  STEADY("flows come and go", 30, _ -> {}),
  ONE_FAILS("a SNAPT fails", 30, fleet -> fleet.fail(fleet.snapts.getFirst())),
  ONE_IS_BACK("it comes back", 30, fleet -> fleet.comeBack(fleet.snapts.getFirst())),
  ONE_DRAINS("a SNAPT drains", 30, fleet -> fleet.drain(fleet.snapts.get(1), true)),
  A_TENTH_FAILS(
      "a tenth of the SNAPTs fails",
      30,
      fleet -> {
        fleet.drain(fleet.snapts.get(1), false);
        int count = fleet.snapts.size() / 10;
        fleet.snapts.subList(2, 2 + count).forEach(fleet::fail);
      }),
  A_REGION_IS_SLOW("a region's line has 80 ms more", 30, fleet -> fleet.slow(0, 80));

  final String words;
  private final int minutes;
  private final Consumer<Fleet> begin;

  FleetScenario(String words, int minutes, Consumer<Fleet> begin) {
    this.words = words;
    this.minutes = minutes;
    this.begin = begin;
  }

  int minutes() {
    return minutes;
  }

  /// Lets it happen, and returns what follows within some minutes.
  Fleet.Outcome of(Fleet fleet, int within) {
    begin.accept(fleet);
    return fleet.pass(within * 60_000L);
  }
}
