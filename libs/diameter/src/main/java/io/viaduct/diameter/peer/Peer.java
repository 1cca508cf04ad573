package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One peer: its state machine, its watchdog, its connections and the requests in flight to it.
/// Only the node's event loop calls it. Times are monotonic milliseconds.
final class Peer {
  private static final long REFUSED_WAIT_MS = 600_000;
  private static final int UNABLE_TO_DELIVER = 3002;
  private static final int TOO_BUSY = 3004;

  private final PeerSettings settings;
  private final long handshakeMs;
  private final NodeIdentity own;
  private final BaseMessages base;
  private final PeerOwner owner;
  private final DiameterStatistics statistics;
  private final Watchdog watchdog;
  private final PendingRequests pending;
  private final PeerLinks links = new PeerLinks();

  private PeerState state = PeerState.CLOSED;
  private long stateUntilMs;
  private long noAttemptUntilMs;
  private @Nullable DiameterMessage capabilitiesRequest;
  private @Nullable Capabilities capabilities;
  private String disconnectCause = "REBOOTING";
  private int baseIdentifier;
  // The state that the watchdog has been told.
  private boolean isUp;

  Peer(
      PeerSettings settings,
      NodeSettings limits,
      NodeIdentity own,
      BaseMessages base,
      PeerOwner owner,
      DiameterStatistics statistics,
      RandomGenerator random,
      long nowMs) {
    this.settings = settings;
    this.handshakeMs = limits.handshake().toMillis();
    this.own = own;
    this.base = base;
    this.owner = owner;
    this.statistics = statistics;
    this.watchdog = new Watchdog(limits.watchdog().toMillis(), random, nowMs);
    this.pending =
        new PendingRequests(settings.host(), limits.answer(), statistics, random.nextInt());
    this.noAttemptUntilMs = nowMs;
    this.stateUntilMs = nowMs;
  }

  PeerSettings settings() {
    return settings;
  }

  PeerState state() {
    return state;
  }

  PendingRequests pending() {
    return pending;
  }

  /// Returns true if the peer may be given a request of this application now.
  boolean takes(long application) {
    Connection connection = links.carrying(state);
    return state.isOpen()
        && watchdog.state() == Watchdog.State.OKAY
        && connection != null
        && connection.isWritable()
        && capabilities != null
        && capabilities.supports(application);
  }

  /// Sends a request. The peer must take it.
  void send(PendingRequest request, long nowMs) {
    Connection connection = links.carrying(state);
    if (connection == null) {
      throw new IllegalStateException(settings.host() + " is not open");
    }
    connection.send(pending.add(this, request, nowMs).encode());
  }

  void start(long nowMs) {
    if (settings.address() != null && nowMs - noAttemptUntilMs >= 0) {
      on(PeerEvent.START, nowMs);
    }
  }

  /// @param cause name of a Disconnect-Cause
  void stop(String cause, long nowMs) {
    disconnectCause = cause;
    on(PeerEvent.STOP, nowMs);
  }

  void tick(long nowMs) {
    if (state.isTimed() && nowMs - stateUntilMs >= 0) {
      on(PeerEvent.TIMEOUT, nowMs);
    }
    pending.expire(nowMs);
    act(watchdog.tick(nowMs), nowMs);
  }

  void connected(Connection connection, long nowMs) {
    if (state != PeerState.WAIT_CONN_ACK && state != PeerState.WAIT_CONN_ACK_ELECT) {
      connection.close();
      return;
    }
    links.opened(connection);
    on(PeerEvent.I_RCV_CONN_ACK, nowMs);
  }

  void connectFailed(long nowMs) {
    statistics.count(Count.CONNECT_FAILED);
    on(PeerEvent.I_RCV_CONN_NACK, nowMs);
  }

  /// The peer has opened a connection and sent a valid CER.
  void accepted(Connection connection, DiameterMessage request, long nowMs) {
    if (Transition.of(state, PeerEvent.R_CONN_CER).actions().contains(PeerAction.R_ACCEPT)) {
      links.accepted(connection);
      capabilitiesRequest = request;
      capabilities = Capabilities.of(request.avps());
    } else {
      connection.close();
    }
    on(PeerEvent.R_CONN_CER, nowMs);
  }

  void disconnected(Connection connection, long nowMs) {
    if (links.isInitiator(connection)) {
      on(PeerEvent.I_PEER_DISC, nowMs);
    } else if (links.isResponder(connection)) {
      on(PeerEvent.R_PEER_DISC, nowMs);
    }
  }

  void received(Connection connection, DiameterMessage message, long nowMs) {
    if (!links.isInitiator(connection) && !links.isResponder(connection)) {
      return; // of a connection that has been given up
    }
    boolean request = message.header().request();
    PeerEvent event =
        switch (message.header().command()) {
          case BaseMessages.CAPABILITIES_EXCHANGE -> capabilitiesReceived(connection, message);
          case BaseMessages.DEVICE_WATCHDOG -> request ? PeerEvent.RCV_DWR : PeerEvent.RCV_DWA;
          case BaseMessages.DISCONNECT_PEER -> request ? PeerEvent.RCV_DPR : PeerEvent.RCV_DPA;
          default -> PeerEvent.RCV_MESSAGE;
        };
    act(watchdog.received(event == PeerEvent.RCV_DWA, nowMs), nowMs);
    Transition transition = Transition.of(state, event);
    if (transition.actions().isEmpty()) {
      statistics.count(Count.UNEXPECTED);
      return;
    }
    change(transition.next(), nowMs);
    for (PeerAction action : transition.actions()) {
      switch (action) {
        case SND_DWA -> connection.send(base.watchdogAnswer(message).encode());
        case PROCESS_DWA -> statistics.count(Count.WATCHDOG_ANSWERED);
        case SND_DPA -> disconnectRequested(connection, message, nowMs);
        case PROCESS -> process(connection, message, nowMs);
        default -> run(action, nowMs);
      }
    }
    afterChange(nowMs);
  }

  /// Returns the event of a CER or CEA. A CER is only expected as the first message of a
  /// connection, which is not a peer's yet.
  private PeerEvent capabilitiesReceived(Connection connection, DiameterMessage message) {
    if (message.header().request() || !links.isInitiator(connection)) {
      return PeerEvent.RCV_OTHER;
    }
    Capabilities word = Capabilities.of(message.avps());
    boolean known = word.host().equals(settings.host());
    if (message.isSuccess() && known && word.fits(own)) {
      capabilities = word;
      return PeerEvent.I_RCV_CEA;
    }
    if (message.isSuccess()) {
      statistics.count(known ? Count.NO_COMMON_APPLICATION : Count.UNKNOWN_PEER);
    }
    return PeerEvent.I_RCV_NON_CEA;
  }

  private void disconnectRequested(Connection connection, DiameterMessage request, long nowMs) {
    // A peer that is busy or wants no connection is left alone (RFC 6733 section 5.4).
    if (request.avps().number("Disconnect-Cause").orElse(0) != 0) {
      noAttemptUntilMs = nowMs + REFUSED_WAIT_MS;
    }
    connection.send(base.answers().plain(request, BaseMessages.SUCCESS).encode());
  }

  private void process(Connection connection, DiameterMessage message, long nowMs) {
    if (message.header().request()) {
      owner.requested(this, connection, message, nowMs);
      return;
    }
    PendingRequest request = pending.answered(message);
    if (request == null) {
      return;
    }
    long result = message.resultCode().orElse(0);
    if (message.header().error() && (result == UNABLE_TO_DELIVER || result == TOO_BUSY)) {
      owner.undelivered(this, request, message, nowMs);
    } else {
      request.complete(message);
    }
  }

  private void on(PeerEvent event, long nowMs) {
    Transition transition = Transition.of(state, event);
    change(transition.next(), nowMs);
    transition.actions().forEach(action -> run(action, nowMs));
    afterChange(nowMs);
  }

  private void change(PeerState next, long nowMs) {
    if (next != state) {
      state = next;
      stateUntilMs = nowMs + handshakeMs;
    }
  }

  private void run(PeerAction action, long nowMs) {
    switch (action) {
      case I_SND_CONN_REQ -> owner.connect(this);
      case I_SND_CER -> sendBase(links.initiator(), base.capabilitiesRequest());
      case R_SND_CEA -> {
        Connection responder = links.responder();
        if (responder != null && capabilitiesRequest != null) {
          responder.send(
              base.capabilitiesAnswer(capabilitiesRequest, BaseMessages.SUCCESS).encode());
        }
      }
      case ELECT -> elect(nowMs);
      case I_DISC -> links.closeInitiator();
      case R_DISC -> links.closeResponder();
      case ERROR -> {
        links.closeInitiator();
        links.closeResponder();
      }
      case SND_DPR -> sendBase(links.carrying(state), base.disconnectRequest(disconnectCause));
      default -> {} // actions of messages, which `received` runs, and those without effect here
    }
  }

  /// The responder whose Origin-Host is greater wins, and its peer's connection stays (RFC 6733
  /// section 5.6.4).
  private void elect(long nowMs) {
    if (own.host().toLowerCase(Locale.ROOT).compareTo(settings.host()) > 0) {
      on(PeerEvent.WIN_ELECTION, nowMs);
    }
  }

  private void sendBase(@Nullable Connection connection, DiameterMessage message) {
    if (connection != null) {
      int identifier = baseIdentifier++;
      connection.send(
          message
              .with(message.header().withHopByHop(identifier).withEndToEnd(identifier))
              .encode());
    }
  }

  /// Tells the watchdog of a connection that came or went.
  private void afterChange(long nowMs) {
    if (state.isOpen() && !isUp) {
      isUp = true;
      statistics.count(Count.CONNECTED);
      act(watchdog.connected(nowMs), nowMs);
      if (watchdog.state() == Watchdog.State.OKAY) {
        owner.available(this);
      }
    } else if (isUp && state == PeerState.CLOSED) {
      isUp = false;
      capabilities = null;
      statistics.count(Count.DISCONNECTED);
      act(watchdog.disconnected(nowMs), nowMs);
    }
  }

  private void act(List<Watchdog.Action> actions, long nowMs) {
    for (Watchdog.Action action : actions) {
      switch (action) {
        case SEND_WATCHDOG -> {
          statistics.count(Count.WATCHDOG_SENT);
          sendBase(links.carrying(state), base.watchdogRequest());
        }
        case FAIL_OVER -> failOver(nowMs);
        case FAIL_BACK -> {
          statistics.count(Count.FAIL_BACK);
          owner.available(this);
        }
        case CLOSE_CONNECTION -> {
          on(PeerEvent.I_PEER_DISC, nowMs);
          on(PeerEvent.R_PEER_DISC, nowMs);
        }
        case ATTEMPT_OPEN -> start(nowMs);
      }
    }
  }

  private void failOver(long nowMs) {
    List<PendingRequest> requests = pending.takeAll();
    if (!requests.isEmpty()) {
      statistics.count(Count.FAIL_OVER);
      owner.failedOver(this, requests, nowMs);
    }
  }
}
