package io.viaduct.billingbench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The settings of a run.
///
/// @param rounds of each row
/// @param sizes flow intervals that a database holds before it is measured, ascending
/// @param reports posted in a round
/// @param flows of each report
/// @param accounts that are charged
/// @param requests of each page in a round
/// @param cores share of one core that each instance gets when one is compared with three
/// @param sustainedMinutes of posting with settlement as shipped; 0 for none
/// @param month flow intervals of the month that is dropped; 0 to drop none
record Scale(
    int rounds,
    List<Long> sizes,
    int reports,
    int flows,
    int accounts,
    int requests,
    double cores,
    int sustainedMinutes,
    long month) {
  Scale {
    if (sizes.isEmpty() || !sizes.equals(sizes.stream().sorted().distinct().toList())) {
      throw new IllegalArgumentException("--sizes must ascend, got " + sizes);
    }
    if (rounds < 1 || reports < 1 || flows < 1 || accounts < 1 || requests < 1) {
      throw new IllegalArgumentException(
          "--rounds, --reports, --flows, --accounts and --requests must be at least 1, got %d, %d, %d, %d and %d"
              .formatted(rounds, reports, flows, accounts, requests));
    }
    sizes = List.copyOf(sizes);
  }

  /// Returns the settings as words.
  Map<String, String> settings() {
    Map<String, String> words = new LinkedHashMap<>();
    words.put("sizes", sizes.toString());
    words.put("reports of a round", Integer.toString(reports));
    words.put("flows of a report", Integer.toString(flows));
    words.put("accounts", Integer.toString(accounts));
    words.put("requests of a round", Integer.toString(requests));
    words.put("cores of each of three instances", Double.toString(cores));
    words.put("sustained, minutes", Integer.toString(sustainedMinutes));
    words.put("dropped month", Long.toString(month));
    return words;
  }
}
