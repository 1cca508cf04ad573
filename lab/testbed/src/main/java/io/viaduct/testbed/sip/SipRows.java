package io.viaduct.testbed.sip;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/// The rows of `bench sip`: medians over the rounds, with our goals.
final class SipRows {
  private static final double P99_MS_MAX = 20;
  private static final double OVERLOAD_P99_MS_MAX = 100;
  private static final double RESIDENT_MIB_MAX = 320;
  private static final double GROWTH_MAX = 1.1; // "flat"
  private static final double CONTACT_BYTES_MAX = 2_048;
  private static final double PAUSE_MS_MAX = 5;
  private static final String CONTACTS = "contacts that expire together";
  private static final String MIXED = "all at a time, beside broken TCP peers";

  /// One value of one server.
  ///
  /// @param values of each round
  record Row(
      String scenario, String measure, String server, double[] values, Optional<Verdict> goal) {}

  static final Grid<Row> GRID =
      new Grid<Row>()
          .text("scenario", "scenario", Row::scenario)
          .text("measure", "measure", Row::measure)
          .text("server", "server", Row::server)
          .rounds("median", "value", row -> row.values()[0] < 100 ? 1 : 0, Row::values)
          .goal("goal", "goal", Row::goal);

  private final List<Row> rows = new ArrayList<>();

  List<Row> rows() {
    return rows;
  }

  /// Adds the highest rates, and what an exchange costs at them.
  ///
  /// @param all ours first
  void highest(SipScenario scenario, List<SipCommand.Found> all) {
    for (SipCommand.Found each : all) {
      String server = each.server().name();
      boolean isCompared = server.equals(BridgeServer.NAME) && all.size() > 1;
      Optional<Verdict> goal =
          isCompared
              ? Optional.of(
                  Verdict.atLeast(
                      scenario.shareOfPeer,
                      "× Kamailio",
                      (double) each.rate() / all.getLast().rate()))
              : Optional.empty();
      add(
          scenario,
          "highest rate without retransmission, 1/s",
          server,
          each.highest(),
          SippResult::rate,
          goal);
      add(
          scenario,
          "processor time each, µs",
          server,
          each.highest(),
          SippResult::processorUs,
          Optional.empty());
      double resident = median(each.highest(), SippResult::residentMib);
      add(
          scenario,
          "resident memory, MiB",
          server,
          each.highest(),
          SippResult::residentMib,
          ours(server, Verdict.atMost(RESIDENT_MIB_MAX, "MiB", resident)));
    }
  }

  /// Adds the times at half of our highest rate, from the first exchange after the start.
  void half(SipScenario scenario, List<SipCommand.Found> all) {
    for (SipCommand.Found each : all) {
      String server = each.server().name();
      String at = " at %d/s after a cold start, ms".formatted(each.half().getFirst().rate());
      add(scenario, "p50" + at, server, each.half(), SippResult::p50Ms, Optional.empty());
      double p99 = median(each.half(), SippResult::p99Ms);
      add(
          scenario,
          "p99" + at,
          server,
          each.half(),
          SippResult::p99Ms,
          ours(server, Verdict.atMost(P99_MS_MAX, "ms", p99)));
    }
  }

  /// Adds what a server does with three times its highest rate.
  void overload(SipScenario scenario, String server, SipCommand.Overload found) {
    List<SippResult> during = List.of(found.during());
    String at = " at three times the highest rate";
    add(
        scenario,
        "succeeded" + at + ", %",
        server,
        during,
        SippResult::succeededPercent,
        Optional.empty());
    add(
        scenario,
        "refused with 503" + at + ", %",
        server,
        during,
        SippResult::refusedPercent,
        Optional.empty());
    add(
        scenario,
        "unanswered" + at + ", %",
        server,
        during,
        SippResult::unansweredPercent,
        Optional.empty());
    add(
        scenario,
        "processor time each" + at + ", µs",
        server,
        during,
        SippResult::processorUs,
        Optional.empty());
    add(
        scenario,
        "p99 of those that succeeded" + at + ", ms",
        server,
        during,
        SippResult::p99Ms,
        ours(server, Verdict.atMost(OVERLOAD_P99_MS_MAX, "ms", found.during().p99Ms())));
    add(
        scenario,
        "resident memory" + at + ", MiB",
        server,
        during,
        SippResult::residentMib,
        ours(server, Verdict.atMost(RESIDENT_MIB_MAX, "MiB", found.during().residentMib())));
    double growth = growth(found.residentMib(), Double::doubleValue);
    rows.add(
        new Row(
            scenario.title,
            "resident memory" + at + ", last third to first third",
            server,
            new double[] {growth},
            ours(server, Verdict.atMost(GROWTH_MAX, "× the first", growth))));
    add(
        scenario,
        "failed right afterwards at half of it",
        server,
        List.of(found.after()),
        SippResult::failed,
        ours(server, Verdict.atMost(0, "", found.after().failed())));
  }

  /// Adds the state of the bridge in the first and the last third of a long mixed load.
  void mixed(MixedLoad.Outcome outcome) {
    for (int i = 0; i < outcome.sipp().size(); i++) {
      SippResult result = outcome.sipp().get(i);
      SipScenario scenario = SipScenario.values()[i];
      value(
          "failed of " + scenario.key() + " at %d/s".formatted(result.rate()),
          result.failed(),
          Optional.of(Verdict.atMost(0, "", result.failed())));
      value("p99 of " + scenario.key() + ", ms", result.p99Ms(), Optional.empty());
    }
    value("broken TCP peers", outcome.brokenPeers(), Optional.empty());
    growth("live heap, MiB", outcome, MixedLoad.Sample::liveMib);
    growth("threads", outcome, MixedLoad.Sample::threads);
    growth("open files and sockets", outcome, MixedLoad.Sample::files);
    growth("SIP connections", outcome, MixedLoad.Sample::connections);
    growth("calls, subscriptions and registrations", outcome, MixedLoad.Sample::dialogs);
  }

  /// Adds what contacts cost, and for how long their expiry stops the answers to others.
  void contacts(ContactsLoad.Outcome outcome) {
    contact("contacts", outcome.registered(), Optional.empty());
    contact(
        "live heap of each, bytes",
        outcome.bytesEach(),
        Optional.of(Verdict.atMost(CONTACT_BYTES_MAX, "bytes", outcome.bytesEach())));
    double calmMs = outcome.calm().longestMs();
    double expiringMs = outcome.expiring().longestMs();
    contact("longest answer before they expire, ms", calmMs, Optional.empty());
    contact(
        "longest answer while all expire, ms",
        expiringMs,
        Optional.of(Verdict.atMost(PAUSE_MS_MAX, "ms more than before", expiringMs - calmMs)));
    contact("questions answered while all expire", outcome.expiring().answered(), Optional.empty());
    contact(
        "questions lost",
        outcome.calm().lost() + outcome.expiring().lost(),
        Optional.of(Verdict.atMost(0, "", outcome.calm().lost() + outcome.expiring().lost())));
    contact("longest tick, ms", outcome.longestTickMs(), Optional.empty());
    contact("left", outcome.left(), Optional.of(Verdict.atMost(0, "", outcome.left())));
    SippResult registers = outcome.registers();
    contact(
        "failed of register at %d/s".formatted(registers.rate()),
        registers.failed(),
        Optional.of(Verdict.atMost(0, "", registers.failed())));
    contact("p99 of register, ms", registers.p99Ms(), Optional.empty());
  }

  private void contact(String measure, double value, Optional<Verdict> goal) {
    rows.add(new Row(CONTACTS, measure, BridgeServer.NAME, new double[] {value}, goal));
  }

  private void growth(
      String measure, MixedLoad.Outcome outcome, ToDoubleFunction<MixedLoad.Sample> of) {
    List<MixedLoad.Sample> samples = outcome.samples();
    int third = samples.size() / 3;
    value(
        measure + ", first third",
        Median.of(samples.subList(0, third).stream().mapToDouble(of)),
        Optional.empty());
    value(
        measure + ", last third",
        Median.of(samples.subList(samples.size() - third, samples.size()).stream().mapToDouble(of)),
        Optional.of(Verdict.atMost(GROWTH_MAX, "× the first", growth(samples, of))));
  }

  /// Returns the median of the last third in terms of that of the first; above 1 if that was 0 and
  /// something has come; NaN for less than three samples.
  static <T> double growth(List<T> samples, ToDoubleFunction<T> of) {
    int third = samples.size() / 3;
    if (third == 0) {
      return Double.NaN;
    }
    double first = Median.of(samples.subList(0, third).stream().mapToDouble(of));
    double last =
        Median.of(samples.subList(samples.size() - third, samples.size()).stream().mapToDouble(of));
    return first == 0 ? 1 + last : last / first;
  }

  private void value(String measure, double value, Optional<Verdict> goal) {
    rows.add(new Row(MIXED, measure, BridgeServer.NAME, new double[] {value}, goal));
  }

  private static Optional<Verdict> ours(String server, Verdict verdict) {
    return server.equals(BridgeServer.NAME) ? Optional.of(verdict) : Optional.empty();
  }

  private static double median(List<SippResult> of, ToDoubleFunction<SippResult> value) {
    return Median.of(of.stream().mapToDouble(value));
  }

  private void add(
      SipScenario scenario,
      String measure,
      String server,
      List<SippResult> results,
      ToDoubleFunction<SippResult> value,
      Optional<Verdict> goal) {
    double[] values = results.stream().mapToDouble(value).toArray();
    if (Arrays.stream(values).noneMatch(Double::isNaN)) {
      rows.add(new Row(scenario.title, measure, server, values, goal));
    } else {
      rows.add(new Row(scenario.title, measure, server, new double[] {Double.NaN}, goal));
    }
  }
}
