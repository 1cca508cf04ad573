package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/// The events of the routing hook as JSON (docs/user.md "Routing hook"). Bytes are inner IP bytes
/// of the flow so far, in all its sessions.
final class FlowEvent {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final FlowMeasures UNMEASURED = new FlowMeasures(null, null, null, null);

  private FlowEvent() {}

  /// A flow that has opened. The members are those of the format.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Opened(
      String event,
      long timeMs,
      long id,
      int protocol,
      String local,
      int localPort,
      String remote,
      int remotePort,
      String serviceClass,
      String application,
      @Nullable String process,
      String snapt) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Classified(
      String event,
      long timeMs,
      long id,
      String serviceClass,
      String application,
      @Nullable String process) {}

  private record Moved(String event, long timeMs, long id, String snapt) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Counts(
      String event,
      long timeMs,
      long id,
      String serviceClass,
      long sentBytes,
      long sentPackets,
      long receivedBytes,
      long receivedPackets,
      @Nullable Double delayMs,
      @Nullable Double roundTripMs,
      @Nullable Double lossPercent,
      @Nullable Double downLossPercent) {}

  static String flow(long id, FlowState flow, FlowNote note, long nowMs) {
    return JSON.writeValueAsString(
        new Opened(
            "flow",
            nowMs,
            id,
            flow.protocol(),
            flow.deviceAddress().getHostAddress(),
            flow.devicePort(),
            flow.remoteAddress().getHostAddress(),
            flow.remotePort(),
            flow.serviceClass().name(),
            note.application.name(),
            note.process,
            note.life.eventSnapt));
  }

  static String classified(long id, FlowState flow, FlowNote note, long nowMs) {
    return JSON.writeValueAsString(
        new Classified(
            "class", nowMs, id, flow.serviceClass().name(), note.application.name(), note.process));
  }

  static String moved(long id, FlowNote note, long nowMs) {
    return JSON.writeValueAsString(new Moved("moved", nowMs, id, note.snapt));
  }

  static String statistics(
      long id, FlowState flow, FlowNote note, FlowMeasures measured, long nowMs) {
    return counts("statistics", id, flow, note, measured, nowMs);
  }

  static String end(long id, FlowState flow, FlowNote note, long nowMs) {
    return counts("end", id, flow, note, UNMEASURED, nowMs);
  }

  private static String counts(
      String event, long id, FlowState flow, FlowNote note, FlowMeasures measured, long nowMs) {
    FlowLife.Counts counts = note.life.counts();
    return JSON.writeValueAsString(
        new Counts(
            event,
            nowMs,
            id,
            flow.serviceClass().name(),
            counts.sentBytes(),
            counts.sentPackets(),
            counts.receivedBytes(),
            counts.receivedPackets(),
            measured.delayMs(),
            measured.roundTripMs(),
            measured.lossPercent(),
            measured.downLossPercent()));
  }
}
