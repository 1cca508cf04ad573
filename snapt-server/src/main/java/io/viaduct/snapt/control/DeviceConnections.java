package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.reporting.ReceiptAsker;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportIdentity;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.Moved;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connections of the devices that are connected now, one per session, and what this SNAPT
/// tells them. Owner: the control thread.
public final class DeviceConnections implements ReceiptAsker {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceConnections.class);

  private final ControlThread thread;
  private final SessionRegistry registry;
  private final Receipts receipts;
  private final String snaptId;
  private final Map<UUID, ControlConnection> bySession = new HashMap<>();

  DeviceConnections(
      ControlThread thread, SessionRegistry registry, Receipts receipts, String snaptId) {
    this.thread = thread;
    this.registry = registry;
    this.receipts = receipts;
    this.snaptId = snaptId;
    registry.onEnd(this::onSessionEnd);
  }

  // --- of a connection, on the control thread

  Collection<ControlConnection> connected() {
    return bySession.values();
  }

  /// Makes a connection the one that owns a session. @return false if the session has ended
  boolean own(ControlConnection connection, Session session) {
    if (!registry.isOpen(session)) {
      return false;
    }
    ControlConnection before = bySession.put(session.id(), connection);
    if (before != null && before != connection) {
      before.goodbye(ConnectionEnd.REPLACED, "the session was resumed on another connection");
    }
    return true;
  }

  /// Looks up the receipts that a device owes, and asks the device for them.
  ReceiptDialog beginReceipts(ControlConnection connection, Session session) {
    ByteString device = session.shown().deviceKey();
    receipts.owedBy(device, owed -> thread.run(() -> connection.owed(owed)));
    return new ReceiptDialog(snaptId, session.id(), device, receipts, connection);
  }

  /// Accepts datagrams only from the connection that owns the session now.
  void onDatagrams(
      ControlConnection connection, Session session, List<ByteBuf> datagrams, Runnable taken) {
    if (bySession.get(session.id()) == connection) {
      registry.datagrams(session, datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  void onClosed(ControlConnection connection, @Nullable Session session) {
    if (session != null && bySession.remove(session.id(), connection)) {
      registry.control(session, null);
    }
  }

  private void onSessionEnd(Session session, SessionEnd why) {
    LOG.info("{} ended: {}", session, why);
    ControlConnection connection = bySession.get(session.id());
    if (connection != null && !connection.isLeaving()) {
      connection.goodbye(why.name());
    }
  }

  // --- from any thread

  @Override
  public void ask(
      ByteString device, String session, List<IntervalBoundary> boundaries, boolean last) {
    UUID id = UUID.fromString(session);
    thread.run(
        () -> {
          ControlConnection connection = bySession.get(id);
          if (connection == null) {
            connection = registry.ofDevice(device).map(own -> bySession.get(own.id())).orElse(null);
          }
          if (connection == null || !connection.ask(id, boundaries, last)) {
            unreachable(boundaries);
          }
        },
        () -> unreachable(boundaries));
  }

  private void unreachable(List<IntervalBoundary> boundaries) {
    boundaries.forEach(boundary -> receipts.unreachable(ReportIdentity.of(boundary)));
  }

  /// Tells the device of a session something, if it is connected and knows the message.
  ///
  /// @param needed feature of devices that know the message
  public void tell(Session session, Feature needed, ControlMessage.Builder message) {
    if (session.terms().features().contains(needed)) {
      withConnection(session, connection -> connection.tell(message));
    }
  }

  /// Sends a KeepAlive to a device whose datagrams come from another address: its control
  /// connection may lead nowhere now, and the sooner one end notices that, the sooner there is
  /// another one (main paper, section III-B).
  public void nudge(Session session) {
    withConnection(session, ControlConnection::nudge);
  }

  private void withConnection(Session session, Consumer<ControlConnection> work) {
    thread.run(() -> {
      ControlConnection connection = bySession.get(session.id());
      if (connection != null) {
        work.accept(connection);
      }
    });
  }

  // --- of this SNAPT, on the control thread

  /// Ends a session whose token is revoked, and tells its device the reason.
  void revoke(Session session, String words) {
    ControlConnection connection = bySession.get(session.id());
    if (connection != null) {
      connection.leaves(SessionEnd.REVOKED.name() + ": " + words);
    }
    registry.end(session, SessionEnd.REVOKED);
  }

  /// Tells the device of a session about its hand-over; on the control thread.
  ///
  /// @return false if it is not connected, or does not know the message
  public boolean tell(Session session, Moved moved) {
    ControlConnection connection = bySession.get(session.id());
    return connection != null && connection.tell(moved);
  }

  /// Returns whether the device of a session can be told of a hand-over; on the control thread.
  public boolean canMove(Session session) {
    ControlConnection connection = bySession.get(session.id());
    return connection != null && connection.knowsMoves();
  }

  /// Returns whether the device of a session is away: it sleeps, or has no network; on the control
  /// thread.
  public boolean isAway(Session session) {
    return !bySession.containsKey(session.id());
  }
}
