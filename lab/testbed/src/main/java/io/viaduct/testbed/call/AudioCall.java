package io.viaduct.testbed.call;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.tap.PacketTap;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// A call between two user agents of another project, each on a device behind an agent. Taps at the
/// devices' tunnels see its audio leave and arrive.
///
/// ```
///   baresip ── tap, cnapt ══ SNAPT ── … ── SNAPT ══ cnapt, tap ── baresip
/// ```
public final class AudioCall implements AutoCloseable {
  /// Rules for the host of a SNAPT that masquerades: drop what nobody has asked for, as any
  /// firewall there should. Otherwise the first packet of the other end would take the port that
  /// this end has told.
  public static final String FIREWALL =
      """
      table inet firewall {
        chain in {
          type filter hook input priority filter
          iifname "core0" meta l4proto udp ct state new udp dport != 443 drop
        }
      }
      """;

  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final long LOOK_NS = 10_000_000;
  private static final int LOG_LINES = 20;

  /// One end of the call.
  ///
  /// @param tunnel name of the agent's network device
  /// @param address of the device in the tunnel
  public record Party(
      NetworkNamespace device, String tunnel, String address, String user, String password) {}

  private final Party called;
  private final Baresip callerAgent;
  private final Baresip calledAgent;
  private final AudioWay toCaller;
  private final AudioWay toCalled;
  private final PacketTap callerTap;
  private final PacketTap calledTap;
  private final LongSupplier nanoTime;

  private AudioCall(Path directory, Party caller, Party called, LongSupplier nanoTime)
      throws IOException {
    this.called = called;
    this.nanoTime = nanoTime;
    toCaller = new AudioWay(called.address(), caller.address(), nanoTime);
    toCalled = new AudioWay(caller.address(), called.address(), nanoTime);
    callerTap =
        PacketTap.on(
            caller.device(),
            caller.tunnel(),
            packet -> toCaller.arrives(packet) || toCalled.departs(packet));
    calledTap =
        PacketTap.on(
            called.device(),
            called.tunnel(),
            packet -> toCalled.arrives(packet) || toCaller.departs(packet));
    callerAgent = start(directory, caller);
    calledAgent = start(directory, called);
  }

  private static Baresip start(Path directory, Party party) throws IOException {
    return Baresip.start(
        party.device(), directory, party.user(), party.password(), party.address());
  }

  /// Starts both user agents and waits until they are registered.
  ///
  /// @param directory of their configuration and logs
  /// @throws IllegalStateException with the end of a log, if one does not register within 60 s
  public static AudioCall register(
      Path directory, Party caller, Party called, LongSupplier nanoTime) throws IOException {
    var call = new AudioCall(directory, caller, called, nanoTime);
    try {
      call.await(
          () -> call.callerAgent.has("\\} 200 OK") && call.calledAgent.has("\\} 200 OK"),
          "both are registered");
    } catch (IllegalStateException e) {
      call.close();
      throw e;
    }
    return call;
  }

  /// Calls, and waits until audio flows in both directions.
  ///
  /// @throws IllegalStateException with the end of a log, if it does not within 60 s
  public void dial() {
    callerAgent.command("dial", "sip:%s@%s".formatted(called.user(), Plans.DOMAIN));
    await(
        () ->
            callerAgent.has("incoming rtp for 'audio'")
                && calledAgent.has("incoming rtp for 'audio'"),
        "audio flows in both directions");
  }

  /// Hangs up, and waits until both ends have.
  public void hangUp() {
    callerAgent.command("hangup", "");
    await(
        () -> callerAgent.has("terminated") && calledAgent.has("session closed"),
        "both have hung up");
  }

  /// Returns how many different INVITEs the caller has in its log, its own and those that it got.
  /// The first call has two, without and with the answer to the digest challenge.
  public int callerInvites() {
    return callerAgent.found("CSeq: \\d+ INVITE").size();
  }

  /// Returns how many different INVITEs the called one has in its log: one, unless there was a
  /// re-INVITE.
  public int calledInvites() {
    return calledAgent.found("CSeq: \\d+ INVITE").size();
  }

  /// Returns what the caller has heard in `[fromNs, untilNs)`.
  public Audio atCaller(long fromNs, long untilNs) {
    return toCaller.between(fromNs, untilNs);
  }

  /// Returns what the called one has heard in `[fromNs, untilNs)`.
  public Audio atCalled(long fromNs, long untilNs) {
    return toCalled.between(fromNs, untilNs);
  }

  private void await(BooleanSupplier condition, String what) {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    while (!condition.getAsBoolean()) {
      boolean isAlive = callerAgent.isAlive() && calledAgent.isAlive();
      if (nanoTime.getAsLong() - endNs > 0 || !isAlive) {
        throw new IllegalStateException(
            "%s: it is not true that %s; the ends of the logs:%n%s%n%s"
                .formatted(
                    isAlive ? "after 60 s" : "a user agent has ended",
                    what,
                    callerAgent.lastLines(LOG_LINES),
                    calledAgent.lastLines(LOG_LINES)));
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /// Stops both user agents.
  @Override
  public void close() {
    callerAgent.stop();
    calledAgent.stop();
    callerTap.close();
    calledTap.close();
  }
}
