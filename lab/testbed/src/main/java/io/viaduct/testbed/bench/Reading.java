package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A value that each repetition of an event gives.
///
/// @param id in files
/// @param title for people
/// @param unit `ms`, `%`, `points` of percent, `×` or `Mbit/s`; `` for a count
record Reading(String id, String title, String unit) {
  static final Reading PROBES = count("probes", "probes and answers of the device");
  static final Reading SNAPT_PROBES = count("snaptProbes", "probes and answers of the SNAPT");
  static final Reading LATER_LOST =
      count("downLostLater", "lost down, of packets sent more than 1 RTT after the event");
  static final Reading WEATHER_LOST = count("weatherLost", "frames dropped by link A's weather");
  static final Reading SESSIONS = count("sessions", "sessions made anew");
  static final Reading CONNECTIONS = count("connections", "TLS connections made anew");
  static final Reading REGISTRATIONS = count("registrations", "registrations made anew");
  static final Reading UNUSED = count("unused", "seconds in which a link was not used");
  static final Reading ANSWERED = new Reading("answeredPercent", "answered probes", "%");
  static final Reading REQUEST_P50 = new Reading("requestP50Ms", "request, p50", "ms");
  static final Reading REQUEST_P99 = new Reading("requestP99Ms", "request, p99", "ms");
  static final Reading REQUEST_P50_ADDED =
      new Reading("requestP50AddedMs", "request, p50 above that of the better line alone", "ms");
  static final Reading REQUEST_P99_ADDED =
      new Reading("requestP99AddedMs", "request, p99 above that of the better line alone", "ms");
  static final Reading RESUME_BEYOND_RTT =
      new Reading("resumeBeyondRttMs", "resume to first echo, beyond the round trip", "ms");
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
    all.addAll(List.of(SESSIONS, CONNECTIONS, REGISTRATIONS, RESUME_BEYOND_RTT));
    for (Way way : Way.values()) {
      all.addAll(List.of(oneLine(way), bothLines(way), gain(way), lostPercent(way)));
      all.add(outOfOrderPercent(way));
      all.addAll(List.of(usedAfter(way), shareError(way)));
    }
    all.addAll(List.of(REQUEST_P50, REQUEST_P50_ADDED, REQUEST_P99, REQUEST_P99_ADDED));
    all.addAll(List.of(UNUSED, ANSWERED));
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

  static Reading lostPercent(Way way) {
    return new Reading(word(way) + "LostPercent", "lost " + word(way), "%");
  }

  /// Returns the share of packets that came after one that had left later (RFC 4737 section 4.1).
  static Reading outOfOrderPercent(Way way) {
    return new Reading(word(way) + "OutOfOrderPercent", "out of order " + word(way), "%");
  }

  static Reading oneLine(Way way) {
    return new Reading(word(way) + "OneMbit", "goodput of line A alone " + word(way), "Mbit/s");
  }

  static Reading bothLines(Way way) {
    return new Reading(word(way) + "BothMbit", "goodput of both lines " + word(way), "Mbit/s");
  }

  /// Returns the goodput of both lines as a multiple of that of line A alone.
  static Reading gain(Way way) {
    return new Reading(word(way) + "Gain", "both lines to line A alone " + word(way), "×");
  }

  /// Returns the time until a line that appears has carried something.
  static Reading usedAfter(Way way) {
    return new Reading(word(way) + "UsedAfterMs", "line B used after, " + word(way), "ms");
  }

  /// Returns how far a line's share of the bytes is from its share of the rate.
  static Reading shareError(Way way) {
    return new Reading(
        word(way) + "SharePoints", "error of line B's share 3 s later, " + word(way), "points");
  }

  private static String word(Way way) {
    return way.name().toLowerCase(Locale.ROOT);
  }

  /// Returns the statistics that a table shows.
  List<Statistic> shown() {
    return switch (unit) {
      case "" -> List.of(Statistic.SUM, Statistic.WORST);
      case "×", "Mbit/s" -> List.of(Statistic.P50, Statistic.LEAST);
      default -> List.of(Statistic.P50, Statistic.P99, Statistic.WORST);
    };
  }

  boolean isCount() {
    return unit.isEmpty();
  }
}
