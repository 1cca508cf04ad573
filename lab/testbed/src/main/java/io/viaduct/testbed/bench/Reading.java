package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A value that each repetition of an event gives.
///
/// @param id in files
/// @param title for people
/// @param unit `ms`, or `` for a count
record Reading(String id, String title, String unit) {
  static final Reading PROBES = count("probes", "probes and answers of the device");
  static final Reading SNAPT_PROBES = count("snaptProbes", "probes and answers of the SNAPT");
  static final Reading LATER_LOST =
      count("downLostLater", "lost down, of packets sent more than 1 RTT after the event");
  static final Reading WEATHER_LOST = count("weatherLost", "frames dropped by link A's weather");
  static final Reading SESSIONS = count("sessions", "sessions made anew");
  static final Reading CONNECTIONS = count("connections", "TLS connections made anew");
  static final Reading REGISTRATIONS = count("registrations", "registrations made anew");
  static final Reading FLOOD_OUTAGE = new Reading("outageMs", "outage of the echo", "ms");

  /// Returns all readings, in the order of the table.
  static List<Reading> all() {
    var all = new ArrayList<Reading>();
    for (Way way : Way.values()) {
      all.add(outage(way));
    }
    all.add(FLOOD_OUTAGE);
    for (Way way : Way.values()) {
      all.addAll(List.of(ended(way), lost(way), duplicated(way), reordering(way)));
    }
    all.addAll(List.of(LATER_LOST, WEATHER_LOST, PROBES, SNAPT_PROBES));
    all.addAll(List.of(SESSIONS, CONNECTIONS, REGISTRATIONS));
    for (TrafficClass of : TrafficClass.values()) {
      for (Way way : Way.values()) {
        all.addAll(List.of(lost(of, way), sent(of, way)));
      }
    }
    return all;
  }

  private static Reading count(String id, String title) {
    return new Reading(id, title, "");
  }

  /// Returns the longest silence around the event less that of the steady time before.
  static Reading outage(Way way) {
    return new Reading(word(way) + "OutageMs", "outage " + word(way), "ms");
  }

  /// Returns 1 for a stream that did not go on until the end of the patience.
  static Reading ended(Way way) {
    return count(word(way) + "Ended", "streams that did not go on " + word(way));
  }

  static Reading lost(Way way) {
    return count(word(way) + "Lost", "lost " + word(way));
  }

  static Reading duplicated(Way way) {
    return count(word(way) + "Duplicated", "duplicated " + word(way));
  }

  /// Returns the late time of RFC 4737.
  static Reading reordering(Way way) {
    return new Reading(word(way) + "ReorderingMs", "reordering " + word(way), "ms");
  }

  static Reading lost(TrafficClass of, Way way) {
    return count("lost" + of + "_" + way, "lost " + word(way) + ", " + of);
  }

  static Reading sent(TrafficClass of, Way way) {
    return count("sent" + of + "_" + way, "sent " + word(way) + ", " + of);
  }

  private static String word(Way way) {
    return way.name().toLowerCase(Locale.ROOT);
  }

  boolean isCount() {
    return unit.isEmpty();
  }
}
