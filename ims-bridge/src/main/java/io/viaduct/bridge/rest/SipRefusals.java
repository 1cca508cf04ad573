package io.viaduct.bridge.rest;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.sip.digest.DigestRefusal;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Refused SIP messages since the start.
///
/// @param refusals the most frequent cause first; causes that never occurred are left out
record SipRefusals(List<Line> refusals) {
  private static final List<Part> PARTS =
      List.of(
          Part.of(
              "message",
              "viaduct_sip_refused",
              io.viaduct.sip.guard.Refusal.values(),
              io.viaduct.sip.guard.Refusal::words),
          Part.of("request", "viaduct_bridge_sip_refused", Refusal.values(), Refusal::words),
          Part.of(
              "credentials",
              "viaduct_bridge_digest_refused",
              DigestRefusal.values(),
              DigestRefusal::words));

  /// One cause.
  ///
  /// @param part message, request or credentials
  /// @param reason as in the metrics
  /// @param words what is wrong, as the sender is told it in a Warning
  record Line(String part, String reason, String words, long count) {}

  static SipRefusals of(MeterRegistry meters) {
    return new SipRefusals(
        PARTS.stream()
            .flatMap(part -> part.lines(meters))
            .filter(line -> line.count() > 0)
            .sorted(Comparator.comparingLong(Line::count).reversed())
            .toList());
  }

  /// A part of the bridge that refuses messages.
  ///
  /// @param words by reason
  private record Part(String name, String counter, Map<String, String> words) {
    static <E extends Enum<E>> Part of(
        String name, String counter, E[] reasons, Function<E, String> words) {
      return new Part(
          name, counter, Arrays.stream(reasons).collect(Collectors.toMap(MetricLabel::of, words)));
    }

    Stream<Line> lines(MeterRegistry meters) {
      return meters.find(counter).meters().stream().map(this::line);
    }

    private Line line(Meter meter) {
      String reason = String.valueOf(meter.getId().getTag("reason"));
      return new Line(
          name,
          reason,
          words.getOrDefault(reason, ""),
          (long) meter.measure().iterator().next().getValue());
    }
  }
}
