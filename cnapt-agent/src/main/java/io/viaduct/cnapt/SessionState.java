package io.viaduct.cnapt;

import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Holds the state of the session and its control connection, and formats it for the status.
/// Written by the control loop; the token source also writes the token's lifetime. Any thread may
/// read it.
final class SessionState {
  private volatile @Nullable Welcomed welcomed;
  private volatile boolean controlStands;
  private volatile String lastFailure = "";
  private volatile long tokenExpiresMs;
  private volatile List<Snapt> snapts = List.of();
  private volatile long sinceMs;
  private volatile int tunMtu;
  private volatile boolean draining; // as the SNAPT of the session says
  private volatile long drainDeadlineMs;
  private volatile CreditNotice credit = CreditNotice.getDefaultInstance();

  /// Records a Welcome.
  ///
  /// @return the previous Welcome, or null if this is the first
  @Nullable Welcomed welcomed(Welcomed by, long nowMs) {
    Welcomed before = welcomed;
    if (!by.welcome().getResumed()) {
      sinceMs = nowMs;
    }
    welcomed = by;
    told(false, 0); // a list follows
    credit = CreditNotice.getDefaultInstance(); // the SNAPT tells it again if it is short
    controlStands = true;
    return before;
  }

  /// Records that the session of an earlier Welcome goes on.
  void turnedBack(Welcomed to) {
    welcomed = to;
    controlStands = true;
    credit = CreditNotice.getDefaultInstance(); // as above
  }

  /// Records what the SNAPT tells about itself.
  ///
  /// @param drains whether new flows should go elsewhere
  /// @param deadlineMs Unix time at which the session moves or ends; 0 for never
  void told(boolean drains, long deadlineMs) {
    drainDeadlineMs = deadlineMs;
    draining = drains;
  }

  /// Returns whether the SNAPT says that it drains.
  boolean isDraining() {
    return draining;
  }

  /// Returns the time at which a session at a SNAPT that drains moves or ends, RFC 3339; empty if
  /// there is none.
  String drainDeadline() {
    return draining && drainDeadlineMs > 0 ? Instant.ofEpochMilli(drainDeadlineMs).toString() : "";
  }

  /// Records the MTU that the session's packets need, in bytes.
  void tunMtu(int bytes) {
    tunMtu = bytes;
  }

  /// Returns the MTU of the TUN that suits the session, in bytes; 0 before the first one.
  int tunMtu() {
    return tunMtu;
  }

  /// Records that the session has ended, and that the device can do without.
  void rested() {
    welcomed = null;
    controlStands = false;
    tunMtu = 0;
    credit = CreditNotice.getDefaultInstance();
  }

  void lost(ControlFailure why, String detail) {
    controlStands = false;
    if (why != ControlFailure.NETWORK_CHANGED) {
      lastFailure = why.label() + ": " + detail;
    }
  }

  void tokenExpires(long atMs) {
    tokenExpiresMs = atMs;
  }

  void snapts(List<Snapt> listed) {
    snapts = listed;
  }

  /// Records the credit of the account.
  ///
  /// @return what the user should know; empty if the credit suffices
  String credit(CreditNotice notice) {
    credit = notice;
    return creditWords();
  }

  private String creditWords() {
    CreditNotice now = credit;
    BigDecimal denarii = BigDecimal.valueOf(now.getAvailableMicrodenarii(), 6);
    return switch (now.getState()) {
      case LOW -> "the credit is low: %s den are left".formatted(denarii.toPlainString());
      case EXHAUSTED -> "the credit is used up: flows are refused until there is a top-up";
      case CAP_REACHED -> "your spending cap is reached: flows are refused";
      case BLOCKED ->
          "the account is blocked or suspended: all flows are refused; ask your operator";
      case UNKNOWN -> "billing cannot be asked for credit: some classes are refused";
      case SUFFICIENT, STATE_UNSPECIFIED, UNRECOGNIZED -> "";
    };
  }

  /// Returns the SNAPT's address at the control connection, with the port for datagrams, or null
  /// before the first Welcome.
  @Nullable InetSocketAddress peer() {
    Welcomed by = welcomed;
    return by == null ? null : by.peers().control();
  }

  /// Returns `up`, or `starting` or `degraded` if there are reasons.
  String word(List<String> reasons) {
    return reasons.isEmpty() ? "up" : welcomed == null ? "starting" : "degraded";
  }

  /// Returns the reasons for which the service is degraded; empty if it is not.
  List<String> reasons(DataStatus data, SignallingStatus.Probes sip) {
    List<String> reasons = new ArrayList<>();
    if (welcomed == null) {
      reasons.add("no SNAPT has welcomed this device yet");
    } else if (data.pathState().equals("dead")) {
      reasons.add("the path to the SNAPT is dead");
    }
    if (data.carrier().equals("control")) {
      reasons.add("UDP does not come through, packets travel in the control connection");
    }
    if (welcomed != null && !controlStands) {
      reasons.add("no control connection at this moment");
    }
    reasons.addAll(creditReasons());
    Double roundTripMs = sip.roundTripMs();
    if (sip.isAlone() && roundTripMs != null) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "only SIP passes: the bridge %s answers in %.1f ms",
              sip.bridge(),
              roundTripMs));
    }
    return reasons;
  }

  /// Returns the reasons that lie in the account, and so concern all SNAPTs.
  List<String> creditReasons() {
    return credit.getState() == CreditNotice.State.LOW || creditWords().isEmpty()
        ? List.of()
        : List.of(creditWords());
  }

  /// Returns whether packets can reach the SNAPT, by UDP or in the control connection.
  boolean passes(DataStatus data) {
    return controlStands || data.pathState().equals("alive");
  }

  /// Returns whether the control connection stands.
  boolean isConnected() {
    return controlStands;
  }

  /// Returns the reason of the last loss or refusal; empty if there was none.
  String lastFailure() {
    return lastFailure;
  }

  AgentStatus.@Nullable SessionStatus session() {
    Welcomed by = welcomed;
    return by == null
        ? null
        : new AgentStatus.SessionStatus(
            by.snapt().toString(),
            by.welcome().getSessionId(),
            by.welcome().getAead().name(),
            by.welcome().getPathMtu(),
            by.welcome().getReportIntervalMs(),
            sinceMs);
  }

  /// Returns the SNAPT with the id that it has sent; null before the first Welcome.
  @Nullable Snapt snapt() {
    Welcomed by = welcomed;
    return by == null
        ? null
        : new Snapt(by.welcome().getSnaptId(), by.snapt().host(), by.snapt().controlPort());
  }

  /// Returns the id of the SNAPT; empty before the first Welcome.
  String snaptId() {
    Welcomed by = welcomed;
    return by == null ? "" : by.welcome().getSnaptId();
  }

  /// @param trustExpires earliest expiry of the operator's authorities
  AgentStatus.ControlStatus control(Instant trustExpires) {
    return new AgentStatus.ControlStatus(
        controlStands,
        tokenExpiresMs == 0 ? "" : Instant.ofEpochMilli(tokenExpiresMs).toString(),
        trustExpires.toString(),
        lastFailure,
        creditWords(),
        snapts.stream().map(Snapt::toString).toList());
  }

  /// Returns true if the SNAPT accepts receipts.
  boolean takesReceipts() {
    Welcomed by = welcomed;
    return by != null && by.welcome().getFeaturesList().contains(Feature.RECEIPTS);
  }
}
