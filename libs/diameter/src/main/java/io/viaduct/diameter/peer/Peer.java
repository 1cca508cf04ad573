package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.AvpGroup;
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
  private final NodeSettings limits;
  private final NodeIdentity own;
  private final BaseMessages base;
  private final PeerOwner owner;
  private final DiameterStatistics statistics;
  private final Watchdog watchdog;
  private final PendingRequests pending;
  private int baseIdentifier;

  private PeerState state = PeerState.CLOSED;
  private long stateUntilMs;
  private long noAttemptUntilMs;
  private @Nullable Connection initiator;
  private @Nullable Connection responder;
  private @Nullable DiameterMessage capabilitiesRequest;
  private @Nullable Capabilities capabilities;
  private String disconnectCause = "REBOOTING";
  // What the watchdog has been told.
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
    this.limits = limits;
    this.own = own;
    this.base = base;
    this.owner = owner;
    this.statistics = statistics;
    this.watchdog = new Watchdog(limits.watchdog().toMillis(), random, nowMs);
    this.pending = new PendingRequests(random.nextInt());
    this.noAttemptUntilMs = nowMs;
    this.stateUntilMs = nowMs;
  }

  PeerSettings settings() {
    return settings;
  }

  PeerState state() {
    return state;
  }

  Watchdog.State watchdogState() {
    return watchdog.state();
  }

  int pending() {
    return pending.size();
  }

  /// Returns true if the peer may be given a request of this application now.
  boolean takes(long application) {
    Connection connection = open();
    return connection != null
        && connection.isWritable()
        && watchdog.state() == Watchdog.State.OKAY
        && capabilities != null
        && capabilities.supports(application);
  }

  void start(long nowMs) {
    if (settings.address() != null && nowMs - noAttemptUntilMs >= 0) {
      on(PeerEvent.START, nowMs);
    }
  }

  void connected(Connection connection, long nowMs) {
    if (state != PeerState.WAIT_CONN_ACK && state != PeerState.WAIT_CONN_ACK_ELECT) {
      connection.close();
      return;
    }
    initiator = connection;
    on(PeerEvent.I_RCV_CONN_ACK, nowMs);
  }

  void connectFailed(long nowMs) {
    statistics.count(Count.CONNECT_FAILED);
    on(PeerEvent.I_RCV_CONN_NACK, nowMs);
  }

  /// The peer has opened a connection and sent a valid CER.
  void accepted(Connection connection, DiameterMessage request, long nowMs) {
    if (Transition.of(state, PeerEvent.R_CONN_CER).actions().contains(PeerAction.R_ACCEPT)) {
      responder = connection;
      capabilitiesRequest = request;
    } else {
      connection.close();
    }
    on(PeerEvent.R_CONN_CER, nowMs);
  }

  void disconnected(Connection connection, long nowMs) {
    if (connection == initiator) {
      on(PeerEvent.I_PEER_DISC, nowMs);
    } else if (connection == responder) {
      on(PeerEvent.R_PEER_DISC, nowMs);
    }
  }

  void stop(String cause, long nowMs) {
    disconnectCause = cause;
    on(PeerEvent.STOP, nowMs);
  }

  /// Ends all requests in flight, because the node closes.
  void abandon() {
    for (PendingRequest request : pending.takeAll()) {
      statistics.count(DiameterFailure.CLOSED);
      request.fail(DiameterFailure.CLOSED, "the node was closed");
    }
  }

  void tick(long nowMs) {
    if (state.isTimed() && nowMs - stateUntilMs >= 0) {
      on(PeerEvent.TIMEOUT, nowMs);
    }
    pending.takeLate(nowMs).forEach(this::late);
    act(watchdog.tick(nowMs), nowMs);
  }

  private void late(PendingRequest request) {
    statistics.count(DiameterFailure.TIMEOUT);
    request.fail(
        DiameterFailure.TIMEOUT,
        settings.host() + " did not answer within " + limits.answer().toMillis() + " ms");
  }

  /// Sends a request. The peer must take it.
  void send(PendingRequest request, long nowMs) {
    Connection connection = open();
    if (connection == null) {
      throw new IllegalStateException(settings.host() + " is not open");
    }
    request.sentTo(this, nowMs + limits.answer().toMillis());
    int identifier = pending.add(request);
    DiameterMessage message = request.message();
    statistics.count(Count.REQUEST_SENT);
    connection.send(message.with(message.header().withHopByHop(identifier)).encode());
  }

  void received(Connection connection, DiameterMessage message, long nowMs) {
    if (connection != initiator && connection != responder) {
      return; // of a connection that has been given up
    }
    boolean request = message.header().request();
    switch (message.header().command()) {
      case BaseMessages.CAPABILITIES_EXCHANGE -> capabilitiesReceived(message, nowMs);
      case BaseMessages.DEVICE_WATCHDOG -> {
        act(watchdog.received(!request, nowMs), nowMs);
        neighbour(request ? PeerEvent.RCV_DWR : PeerEvent.RCV_DWA, connection, message, nowMs);
      }
      case BaseMessages.DISCONNECT_PEER ->
          neighbour(request ? PeerEvent.RCV_DPR : PeerEvent.RCV_DPA, connection, message, nowMs);
      default -> {
        act(watchdog.received(false, nowMs), nowMs);
        neighbour(PeerEvent.RCV_MESSAGE, connection, message, nowMs);
      }
    }
  }

  /// The answer to a request in flight was refused by the codec.
  void malformedAnswer(int hopByHop) {
    PendingRequest request = pending.take(hopByHop);
    if (request != null) {
      statistics.count(DiameterFailure.MALFORMED_ANSWER);
      request.fail(
          DiameterFailure.MALFORMED_ANSWER, "the answer of " + settings.host() + " is malformed");
    }
  }

  private void capabilitiesReceived(DiameterMessage message, long nowMs) {
    if (message.header().request() || initiator == null) {
      statistics.count(Count.UNEXPECTED);
      return;
    }
    Capabilities word = Capabilities.of(message.avps());
    boolean known = word.host().equals(settings.host());
    boolean fits = word.fits(own);
    if (message.isSuccess() && known && fits) {
      capabilities = word;
      on(PeerEvent.I_RCV_CEA, nowMs);
      return;
    }
    if (message.isSuccess()) {
      statistics.count(known ? Count.NO_COMMON_APPLICATION : Count.UNKNOWN_PEER);
    }
    on(PeerEvent.I_RCV_NON_CEA, nowMs);
  }

  /// Passes a message to the state machine, if its state has actions for it.
  private void neighbour(
      PeerEvent event, Connection connection, DiameterMessage message, long nowMs) {
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
    PendingRequest request = pending.take(message.header().hopByHop());
    if (request == null) {
      statistics.count(Count.STRAY_ANSWER);
      return;
    }
    statistics.count(Count.ANSWER_RECEIVED);
    long result = message.resultCode().orElse(0);
    if (message.header().error() && (result == UNABLE_TO_DELIVER || result == TOO_BUSY)) {
      owner.undelivered(this, request, message, nowMs);
    } else {
      request.answer().complete(message);
    }
  }

  private void on(PeerEvent event, long nowMs) {
    Transition transition = Transition.of(state, event);
    change(transition.next(), nowMs);
    for (PeerAction action : transition.actions()) {
      run(action, nowMs);
    }
    afterChange(nowMs);
  }

  private void change(PeerState next, long nowMs) {
    if (next != state) {
      state = next;
      stateUntilMs = nowMs + limits.handshake().toMillis();
    }
  }

  private void run(PeerAction action, long nowMs) {
    switch (action) {
      case I_SND_CONN_REQ -> owner.connect(this);
      case I_SND_CER -> sendBase(initiator, base.capabilitiesRequest());
      case PROCESS_CER -> processCapabilitiesRequest();
      case R_SND_CEA -> {
        if (responder != null && capabilitiesRequest != null) {
          responder.send(
              base.capabilitiesAnswer(capabilitiesRequest, BaseMessages.SUCCESS).encode());
        }
      }
      case ELECT -> elect(nowMs);
      case I_DISC -> initiator = closed(initiator);
      case R_DISC -> responder = closed(responder);
      case ERROR -> {
        initiator = closed(initiator);
        responder = closed(responder);
      }
      case SND_DPR -> sendBase(open(), base.disconnectRequest(disconnectCause));
      default -> {} // actions of messages, which `neighbour` runs, and those without effect
    }
  }

  private void processCapabilitiesRequest() {
    AvpGroup avps =
        capabilitiesRequest == null ? new AvpGroup(List.of()) : capabilitiesRequest.avps();
    capabilities = Capabilities.of(avps);
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
      connection.send(
          message
              .with(message.header().withHopByHop(baseIdentifier).withEndToEnd(baseIdentifier))
              .encode());
      baseIdentifier++;
    }
  }

  private static @Nullable Connection closed(@Nullable Connection connection) {
    if (connection != null) {
      connection.close();
    }
    return null;
  }

  private @Nullable Connection open() {
    return switch (state) {
      case I_OPEN -> initiator;
      case R_OPEN -> responder;
      case CLOSING -> initiator == null ? responder : initiator;
      default -> null;
    };
  }

  /// Tells the watchdog of a connection that came or went.
  private void afterChange(long nowMs) {
    boolean open = state.isOpen();
    if (open && !isUp) {
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
          sendBase(open(), base.watchdogRequest());
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
