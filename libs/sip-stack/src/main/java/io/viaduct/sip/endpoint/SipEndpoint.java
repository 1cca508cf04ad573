package io.viaduct.sip.endpoint;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.invite.InviteClients;
import io.viaduct.sip.invite.InviteServers;
import io.viaduct.sip.invite.Timers;
import io.viaduct.sip.jain.JainTransactions;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/// Sends and receives SIP over UDP and TCP, and over TLS and WebSocket if they have listeners.
/// Thread-safe.
///
/// Incoming request: socket → guard → retransmission check → admission → handler. Incoming
/// response: socket → guard → admission → transaction layer → the sender's future. Outgoing: Via
/// added as the first → transaction layer → socket. The response is returned without that Via.
public final class SipEndpoint implements RequestSender, AutoCloseable {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SipEndpointSettings settings;
  private final SipStatistics statistics = new SipStatistics();
  private final ExecutorService tasks =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("sip-", 0).factory());
  private final Semaphore pending;
  private final StunExchanges exchanges = new StunExchanges();
  private final Timers timers = new Timers(tasks);
  private final InviteClients invites;
  private final Intake intake;
  private final SipSockets sockets;
  private final JainTransactions transactions;
  private volatile boolean isClosed;

  private SipEndpoint(SipEndpointSettings settings, InstantSource clock, RequestHandler handler)
      throws IOException {
    this.settings = settings;
    this.pending = new Semaphore(settings.pending());
    MessageGuard guard = new MessageGuard(settings.guard());
    this.intake =
        new Intake(
            settings,
            statistics,
            tasks,
            clock,
            exchanges,
            new InviteServers(timers, settings.pending()),
            handler);
    this.sockets = SipSockets.open(settings.sockets(), guard, intake);
    this.transactions =
        new JainTransactions(sockets, settings.guard().onStreams().messageBytes(), intake);
    this.invites =
        new InviteClients(
            sockets, timers, tasks, SipEndpoint::withoutTopmostVia, settings.pending());
    intake.start(sockets, transactions, invites);
  }

  /// Opens the sockets and starts to answer.
  ///
  /// @param clock for the retransmission memory
  /// @throws IOException if a socket cannot be opened
  public static SipEndpoint start(
      SipEndpointSettings settings, InstantSource clock, RequestHandler handler)
      throws IOException {
    return new SipEndpoint(settings, clock, handler);
  }

  /// Returns the port, which is the same for UDP and TCP.
  public int port() {
    return sockets.port();
  }

  /// Returns the port of a transport.
  ///
  /// @throws IllegalArgumentException if there is no listener for it
  public int port(Transport transport) {
    return sockets.port(transport);
  }

  /// Returns the transports that have a listener.
  public Set<Transport> transports() {
    Set<Transport> all = EnumSet.of(Transport.UDP);
    all.addAll(sockets.streams());
    return all;
  }

  /// Returns the open TCP connections, those that were dialled included.
  public int connections() {
    return sockets.connections();
  }

  public SipStatistics statistics() {
    return statistics;
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark) {
    if (isClosed) {
      return CompletableFuture.failedFuture(closed());
    }
    if (!pending.tryAcquire()) {
      return failed(
          SipException.Reason.OVERLOAD,
          settings.pending() + " requests wait for an answer already; try again later");
    }
    CompletableFuture<SipResponse> answer = new CompletableFuture<>();
    SipRequest sent = withVia(request, target, mark);
    if (isTaken(() -> begin(sent, target, answer))) {
      statistics.count(Count.REQUEST_SENT);
    } else {
      answer.completeExceptionally(closed());
    }
    return answer
        .whenComplete((_, _) -> pending.release())
        .thenApply(SipEndpoint::withoutTopmostVia);
  }

  private void begin(SipRequest sent, SipFlow target, CompletableFuture<SipResponse> answer) {
    try {
      transactions.send(sent, target, answer);
    } catch (RuntimeException e) {
      if (!isClosed) {
        throw e;
      }
      answer.completeExceptionally(closed()); // a stack that was stopped throws anything
    }
  }

  /// Runs a task on a thread of its own. @return false if the endpoint is closed
  private boolean isTaken(Runnable task) {
    try {
      tasks.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  private static SipException closed() {
    return new SipException(SipException.Reason.CLOSED, "endpoint is closed");
  }

  @Override
  public InviteBranch invite(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    if (isClosed) {
      events.onFailure(closed());
      return InviteBranch.NONE;
    }
    try {
      InviteBranch begun = invites.begin(withVia(request, target, mark), target, events);
      statistics.count(Count.REQUEST_SENT);
      return begun;
    } catch (RejectedExecutionException e) {
      events.onFailure(closed());
      return InviteBranch.NONE;
    }
  }

  @Override
  public void sendAck(SipRequest ack, SipFlow target) {
    if (isClosed) {
      return;
    }
    byte[] bytes = withVia(ack, target, "").encode();
    Runnable sending =
        () -> {
          try {
            sockets.connect(target);
            sockets.write(target, bytes);
            statistics.count(Count.REQUEST_SENT);
          } catch (IOException e) {
            statistics.count(Count.SEND_FAILED);
          }
        };
    if (!isTaken(sending)) {
      statistics.count(Count.SEND_FAILED);
    }
  }

  @Override
  public CompletableFuture<StunMessage.Success> keepAlive(SipFlow target) {
    if (isClosed) {
      return CompletableFuture.failedFuture(closed());
    }
    return exchanges.ask(sockets, target);
  }

  @Override
  public boolean isConnected(SipFlow target) {
    return sockets.isConnected(target);
  }

  @Override
  public Optional<String> peerName(SipFlow target) {
    return sockets.peerName(target);
  }

  @Override
  public void disconnect(SipFlow target) {
    sockets.disconnect(target);
  }

  @Override
  public HostPort sentBy(SipFlow target) {
    int port = port(target.transport());
    if (!settings.sentBy().isEmpty()) {
      return new HostPort(settings.sentBy(), port);
    }
    InetAddress bound = settings.sockets().bind().getAddress();
    String host =
        bound.isAnyLocalAddress() ? LocalAddress.towards(target) : HostPort.numeric(bound);
    return new HostPort(host, port);
  }

  /// Returns an unguessable token for tags, Call-IDs and branches.
  public static String token() {
    byte[] bytes = new byte[10];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private SipRequest withVia(SipRequest request, SipFlow target, String mark) {
    String via =
        "SIP/2.0/%s %s;branch=z9hG4bK%s%s;rport"
            .formatted(target.transport(), sentBy(target), token(), mark);
    return request.withHeaders(request.headers().withFirst("Via", via));
  }

  static SipResponse withoutTopmostVia(SipResponse response) {
    List<String> vias = response.headers().values("Via");
    SipHeaders rest = response.headers().without("Via");
    for (String via : vias.subList(1, vias.size()).reversed()) {
      rest = rest.withFirst("Via", via);
    }
    return response.withHeaders(rest);
  }

  private static <T> CompletableFuture<T> failed(SipException.Reason reason, String why) {
    return CompletableFuture.failedFuture(new SipException(reason, why));
  }

  @Override
  public void close() {
    isClosed = true;
    intake.stop();
    exchanges.close();
    timers.close();
    sockets.close();
    transactions.close();
    tasks.shutdownNow();
  }
}
