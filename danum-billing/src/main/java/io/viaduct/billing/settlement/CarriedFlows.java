package io.viaduct.billing.settlement;

import java.net.InetAddress;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Finds the flows of reports that are the media of calls, which are charged per second (ADR 0069).
/// Such a flow is UDP to an address and port that the node of the call has described. If the node
/// describes none, or the report names no address, as those of devices do not, it is one of two
/// flows of `voice-call` up to the call's rate: RTP and RTCP.
final class CarriedFlows {
  private static final String APPLICATION = "voice-call";
  private static final int UDP = 17;
  private static final int FLOWS_OF_CALL = 2;
  private static final int MEDIA_FLOWS = 8;
  private static final long MEDIA_KBIT = 10_000; // of a flow, both directions together

  /// @param media addresses and ports; empty if the node has described none
  private record Call(
      long id, String account, Instant start, @Nullable Instant end, int kbit, Set<Place> media) {
    boolean isDuring(MeasuredInterval report) {
      return start.isBefore(report.endedAt()) && (end == null || end.isAfter(report.startedAt()));
    }
  }

  private record Place(InetAddress address, int port) {}

  private final List<Call> calls;

  private CarriedFlows(List<Call> calls) {
    this.calls = calls;
  }

  /// Reads the calls of the time and the accounts of some reports.
  static CarriedFlows load(JdbcClient jdbc, List<MeasuredInterval> reports) {
    Map<Long, Call> calls = new LinkedHashMap<>();
    if (!reports.isEmpty()) {
      jdbc.sql(
              """
              select c.*, m.address, m.port from call_session c left join call_media m on m.call_id = c.id
              where c.account = any(?) and c.started_at < ? and (c.ended_at is null or c.ended_at > ?) order by c.id
              """)
          .param(reports.stream().map(MeasuredInterval::account).distinct().toArray(String[]::new))
          .param(latest(reports))
          .param(earliest(reports))
          .query(row -> {
            Timestamp ended = row.getTimestamp("ended_at");
            Call call =
                new Call(
                    row.getLong("id"),
                    row.getString("account"),
                    row.getTimestamp("started_at").toInstant(),
                    ended == null ? null : ended.toInstant(),
                    row.getInt("voice_kbit_per_second"),
                    new HashSet<>());
            String address = row.getString("address");
            Call known = calls.computeIfAbsent(call.id(), _ -> call);
            if (address != null) {
              known.media().add(new Place(InetAddress.ofLiteral(address), row.getInt("port")));
            }
          });
    }
    return new CarriedFlows(List.copyOf(calls.values()));
  }

  /// Returns a report whose flows name the calls that carry them.
  static MeasuredInterval marked(JdbcClient jdbc, MeasuredInterval report) {
    return load(jdbc, List.of(report)).mark(report);
  }

  private static Timestamp latest(List<MeasuredInterval> reports) {
    return Timestamp.from(
        reports.stream().map(MeasuredInterval::endedAt).max(Comparator.naturalOrder()).get());
  }

  private static Timestamp earliest(List<MeasuredInterval> reports) {
    return Timestamp.from(
        reports.stream().map(MeasuredInterval::startedAt).min(Comparator.naturalOrder()).get());
  }

  /// Returns a report whose flows name the calls that carry them.
  MeasuredInterval mark(MeasuredInterval report) {
    List<MeasuredInterval.Flow> flows = new ArrayList<>(report.flows());
    boolean isAny = false;
    for (Call call : calls) {
      if (call.account().equals(report.account()) && call.isDuring(report)) {
        for (int flow : carried(call, flows)) {
          flows.set(flow, flows.get(flow).carriedBy(call.id()));
          isAny = true;
        }
      }
    }
    return isAny ? report.with(List.copyOf(flows)) : report;
  }

  private static List<Integer> carried(Call call, List<MeasuredInterval.Flow> flows) {
    return Stream.concat(described(call, flows), voice(call, flows)).toList();
  }

  private static Stream<Integer> described(Call call, List<MeasuredInterval.Flow> flows) {
    return IntStream.range(0, flows.size())
        .filter(i -> isFree(flows.get(i)) && isMedia(flows.get(i)))
        .filter(i -> call.media().contains(place(flows.get(i))))
        .limit(MEDIA_FLOWS)
        .boxed();
  }

  private static @Nullable Place place(MeasuredInterval.Flow flow) {
    try {
      return new Place(InetAddress.ofLiteral(flow.remoteAddress()), flow.remotePort());
    } catch (IllegalArgumentException e) {
      return null; // a report may leave the address out
    }
  }

  private static Stream<Integer> voice(Call call, List<MeasuredInterval.Flow> flows) {
    return IntStream.range(0, flows.size())
        .filter(i -> call.media().isEmpty() || place(flows.get(i)) == null)
        .filter(i -> isFree(flows.get(i)) && isVoice(flows.get(i), call.kbit()))
        .boxed()
        .sorted(Comparator.comparing((Integer i) -> flows.get(i).measure().preBytes()).reversed())
        .limit(FLOWS_OF_CALL);
  }

  private static boolean isFree(MeasuredInterval.Flow flow) {
    return flow.protocol() == UDP && flow.measure().call() == null;
  }

  // Users write the description of the media: it must not open a free way for everything.
  private static boolean isMedia(MeasuredInterval.Flow flow) {
    return flow.measure().preBytes() * 8 <= MEDIA_KBIT * flow.measure().durationMs();
  }

  // Bits per millisecond are kbit/s.
  private static boolean isVoice(MeasuredInterval.Flow flow, int kbit) {
    return flow.measure().application().equals(APPLICATION)
        && flow.measure().preBytes() * 8 <= kbit * flow.measure().durationMs();
  }
}
