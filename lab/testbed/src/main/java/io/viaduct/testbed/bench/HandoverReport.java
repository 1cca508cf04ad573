package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The report of `bench handover`: the goals with what Viaduct and the best peer reach, then every
/// reading of every peer.
final class HandoverReport {
  private static final String TITLE = "Hand-over, Viaduct beside its peers";

  private final List<HandoverEvent> events;
  private final List<String> peers;
  private final Repetitions repetitions;

  /// @param peers names, ours first
  HandoverReport(List<HandoverEvent> events, List<String> peers, Repetitions repetitions) {
    this.events = events;
    this.peers = peers;
    this.repetitions = repetitions;
  }

  private record GoalRow(HandoverEvent event, HandoverGoal goal) {}

  private record ReadingRow(HandoverEvent event, Reading reading) {}

  Report of(Map<String, String> conditions, Map<String, String> missing) {
    List<GoalRow> goals =
        events.stream()
            .flatMap(event -> event.goals().stream().map(goal -> new GoalRow(event, goal)))
            .filter(row -> isMeasured(row.event, row.goal.reading()))
            .toList();
    List<ReadingRow> readings =
        events.stream()
            .flatMap(event -> readings().map(reading -> new ReadingRow(event, reading)))
            .filter(row -> isMeasured(row.event, row.reading))
            .toList();
    Grid<ReadingRow> everything = everything();
    return new Report(
            "handover",
            TITLE,
            conditions,
            Map.of(),
            goals().markdown(goals) + "\n" + everything.markdown(readings),
            everything.members(readings))
        .without(missing);
  }

  /// Returns all readings that an event can give, in the order of the table.
  private static Stream<Reading> readings() {
    return Reading.all().stream();
  }

  private boolean isMeasured(HandoverEvent event, Reading reading) {
    return peers.stream().anyMatch(peer -> repetitions.of(event.name(), peer, reading).length > 0);
  }

  private Grid<GoalRow> goals() {
    return new Grid<GoalRow>()
        .cell("event", row -> row.event.title())
        .cell("what", row -> row.goal.title())
        .cell("goal: reached by viaduct", row -> verdict(row))
        .cell("best peer", row -> best(row).map(peer -> number(row, peer) + " " + peer).orElse("–"))
        .cell("beside the best peer", this::beside);
  }

  private double[] ours(GoalRow row) {
    return repetitions.of(row.event.name(), ViaductPeer.NAME, row.goal.reading());
  }

  private String verdict(GoalRow row) {
    return row.goal.verdict(ours(row)).toString();
  }

  private double reached(GoalRow row, String peer) {
    return row.goal.reached(repetitions.of(row.event.name(), peer, row.goal.reading()));
  }

  private String number(GoalRow row, String peer) {
    return Grid.number(reached(row, peer), row.goal.reading().isCount() ? 0 : 1);
  }

  private Optional<String> best(GoalRow row) {
    return peers.stream()
        .filter(peer -> !peer.equals(ViaductPeer.NAME) && !Double.isNaN(reached(row, peer)))
        .min(Comparator.comparing(peer -> reached(row, peer), row.goal.bestFirst()));
  }

  private String beside(GoalRow row) {
    double ours = row.goal.reached(ours(row));
    Optional<String> best = best(row);
    if (best.isEmpty() || Double.isNaN(ours)) {
      return "–";
    }
    int order = row.goal.bestFirst().compare(ours, reached(row, best.get()));
    return order < 0 ? "won" : order == 0 ? "equal" : "LOST";
  }

  private Grid<ReadingRow> everything() {
    var grid =
        new Grid<ReadingRow>()
            .text("event", "event", row -> row.event.name())
            .member("title", row -> row.event.title())
            .cell("what", row -> row.reading.title() + unit(row.reading))
            .member("reading", row -> row.reading.id())
            .member("unit", row -> row.reading.unit())
            .member("goals", this::verdicts);
    for (String peer : peers) {
      grid.cell(peer, row -> cell(row, peer));
      grid.member(peer, row -> members(row, peer));
    }
    return grid;
  }

  private static String unit(Reading reading) {
    String shown = String.join(", ", reading.shown().stream().map(each -> each.words).toList());
    return (reading.isCount() ? "" : " " + reading.unit()) + ": " + shown;
  }

  private List<Object> verdicts(ReadingRow row) {
    return row.event.goals().stream()
        .filter(goal -> goal.reading().equals(row.reading))
        .<Object>map(
            goal -> goal.verdict(repetitions.of(row.event.name(), ViaductPeer.NAME, row.reading)))
        .toList();
  }

  private String cell(ReadingRow row, String peer) {
    double[] values = repetitions.of(row.event.name(), peer, row.reading);
    if (values.length == 0) {
      return "–";
    }
    List<Statistic> shown = row.reading.shown();
    int decimals = row.reading.isCount() ? 0 : row.reading.unit().equals("×") ? 2 : 1;
    return String.join(
        ", ", shown.stream().map(each -> Grid.number(each.of(values), decimals)).toList());
  }

  private @org.jspecify.annotations.Nullable Map<String, Object> members(
      ReadingRow row, String peer) {
    double[] values = repetitions.of(row.event.name(), peer, row.reading);
    if (values.length == 0) {
      return null;
    }
    Map<String, Object> members = new LinkedHashMap<>();
    for (Statistic each : Statistic.values()) {
      members.put(each.name().toLowerCase(java.util.Locale.ROOT), each.of(values));
    }
    members.put("repetitions", values);
    return members;
  }
}
