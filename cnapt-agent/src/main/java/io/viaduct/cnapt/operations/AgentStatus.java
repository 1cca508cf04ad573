package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.mobility.CarrierChange;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The whole agent at one moment: what `/status` answers and `cnapt status` prints.
///
/// @param state `starting`, `up`, or `degraded` when packets cannot be carried as they should
/// @param pid of the agent's process
/// @param reasons why it is not up; empty if it is
/// @param session null before the first Welcome
public record AgentStatus(
    String state,
    List<String> reasons,
    String version,
    long pid,
    long uptimeMs,
    TunStatus tun,
    @Nullable SessionStatus session,
    ControlStatus control,
    ReceiptsStatus receipts,
    SignallingStatus signalling,
    String network,
    DataStatus data,
    long handoverCount,
    List<Handover> handovers,
    List<CarrierChange> carrierChanges) {

  /// The device's own interface.
  public record TunStatus(String name, String ipv4, String ipv6, int mtu) {}

  /// What a SNAPT has agreed to.
  public record SessionStatus(
      String snapt, String id, String aead, int pathMtu, long reportIntervalMs, long sinceMs) {}

  /// What was asked to be signed since the start.
  ///
  /// @param supported whether the SNAPT takes receipts
  /// @param owed intervals that wait for packets under way, to be signed or refused in a moment
  public record ReceiptsStatus(boolean supported, long signed, long refused, long owed) {}

  /// The control connection.
  ///
  /// @param established whether it stands at this moment
  /// @param tokenExpires RFC 3339, empty if not known
  /// @param lastFailure the reason why it was lost or refused last, empty if never
  public record ControlStatus(
      boolean established, String tokenExpires, String lastFailure, List<String> snapts) {}
}
