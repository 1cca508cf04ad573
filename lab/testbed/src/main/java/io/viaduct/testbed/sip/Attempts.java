package io.viaduct.testbed.sip;

import java.util.LinkedHashMap;
import java.util.Map;

/// The measurements of a run that takes an hour: one that fails is named, and the others go on.
final class Attempts {
  private final Map<String, String> failed = new LinkedHashMap<>();

  /// One measurement.
  interface Measurement {
    void run() throws Exception;
  }

  /// Measures, and keeps the reason of a failure.
  ///
  /// @throws InterruptedException if the whole run is to end
  void run(String name, Measurement measurement) throws InterruptedException {
    try {
      measurement.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failed.put(name, String.valueOf(e.getMessage()));
      System.err.printf("%s failed: %s%n", name, e);
    }
  }

  /// Returns the reasons by name.
  Map<String, String> failed() {
    return failed;
  }
}
