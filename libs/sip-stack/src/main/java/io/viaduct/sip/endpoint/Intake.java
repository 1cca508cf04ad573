package io.viaduct.sip.endpoint;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import io.viaduct.sip.invite.InviteClients;
import io.viaduct.sip.invite.InviteServer;
import io.viaduct.sip.invite.InviteServers;
import io.viaduct.sip.jain.JainTransactions;
import io.viaduct.sip.jain.TransactionEvents;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.transport.Admission;
import io.viaduct.sip.transport.Receiver;
import io.viaduct.sip.transport.ResponseMemory;
import io.viaduct.sip.transport.ResponseMemory.Seen;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes a request from the guard's verdict to the handler, and a response to its transaction.
/// Towards UDP it is the server transaction of requests other than INVITE (RFC 3261 section
/// 17.2.2); [ResponseMemory] holds the transactions' state. So it is for an INVITE until the
/// handler begins to serve it; then [InviteServers] has its transaction. [#onVerdict] runs on the
/// event loop and never blocks; the rest runs on one virtual thread per message.
final class Intake implements Receiver, TransactionEvents {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
  private static final byte[] PONG = {'\r', '\n'};

  /// Seconds. Long enough for a burst to pass, short enough for a user not to notice.
  private static final String RETRY_AFTER = "2";

  /// Covers some hundred phones behind one address that come back together after an outage.
  private static final int ANSWER_BURST_SECONDS = 5;

  /// Most sources that have a bucket of answers; a bucket takes some 200 bytes.
  private static final int SOURCES = 65_536;

  private record Wiring(SipSockets sockets, JainTransactions transactions, InviteClients invites) {}

  private final SipStatistics statistics;
  private final Executor tasks;
  private final InstantSource clock;
  private final RequestHandler handler;
  private final Admission admission;
  private final ResponseMemory memory;
  private final TokenBuckets<SourceNetwork> answers;
  private final StunExchanges exchanges;
  private final InviteServers invites;

  /// Names this run: a user agent notices by it that its registration is lost.
  private final String stunRun = SipEndpoint.token().substring(0, StunMessage.RUN_BYTES);

  private volatile @Nullable Wiring wiring;

  Intake(
      SipEndpointSettings settings,
      SipStatistics statistics,
      Executor tasks,
      InstantSource clock,
      StunExchanges exchanges,
      InviteServers invites,
      RequestHandler handler) {
    this.exchanges = exchanges;
    this.invites = invites;
    this.statistics = statistics;
    this.tasks = tasks;
    this.clock = clock;
    this.handler = handler;
    this.admission = new Admission(settings.transactionsMax(), settings.answersPerSecond());
    this.memory = new ResponseMemory(settings.remembered());
    this.answers =
        new TokenBuckets<>(
            settings.answersPerSource() * ANSWER_BURST_SECONDS,
            Duration.ofSeconds(1).dividedBy(settings.answersPerSource()),
            SOURCES,
            clock);
  }

  /// Starts the processing of messages. Messages that came before are dropped.
  void start(SipSockets sockets, JainTransactions transactions, InviteClients sent) {
    wiring = new Wiring(sockets, transactions, sent);
  }

  /// Stops the processing: later messages are dropped.
  void stop() {
    wiring = null;
  }

  @Override
  public void onVerdict(Verdict verdict, SipFlow flow) {
    Wiring now = wiring;
    if (now == null) {
      return;
    }
    switch (verdict) {
      case Verdict.KeepAlive _ -> onKeepAlive(now, flow);
      case Verdict.Stun(StunMessage.Request asked) -> onStun(now, asked, flow);
      case Verdict.Stun(StunMessage.Success answer) -> {
        if (!exchanges.answered(answer, flow)) {
          statistics.count(Refusal.STRAY_RESPONSE);
        }
      }
      case Verdict.Refused(Refusal reason, var answerable) -> refuse(now, reason, answerable, flow);
      case Verdict.Accepted(SipRequest request) -> onRequest(now, request, flow);
      case Verdict.Accepted(SipResponse response) -> onResponse(now, response, flow);
    }
  }

  @Override
  public void onRefused(Refusal reason) {
    statistics.count(reason);
  }

  @Override
  public boolean needs(SipFlow connection) {
    return handler.needs(connection);
  }

  @Override
  public void onStrayResponse() {
    statistics.count(Refusal.STRAY_RESPONSE);
  }

  private void onKeepAlive(Wiring now, SipFlow flow) {
    statistics.count(Count.KEEP_ALIVE);
    if (flow.transport().isReliable()) {
      write(now, flow, PONG);
    }
  }

  /// Answers with the sender's address. A request that is shorter than its answer takes from the
  /// budget of its source, which may be forged.
  private void onStun(Wiring now, StunMessage.Request asked, SipFlow flow) {
    byte[] answer =
        StunMessage.success(new StunMessage.Success(asked.id(), flow.remote(), stunRun));
    if (asked.bytes() >= answer.length || mayAnswer(flow)) {
      statistics.count(Count.STUN_ANSWERED);
      write(now, flow, answer);
    }
  }

  private void onRequest(Wiring now, SipRequest raw, SipFlow flow) {
    SipRequest request = TopmostVia.stampSource(raw, flow);
    ServerExchange exchange = new ServerExchange(this, now.sockets, request, flow);
    if (isOfInvite(exchange, request)) {
      statistics.count(Count.RETRANSMISSION_ABSORBED);
      return;
    }
    // Each ACK of an acceptance counts: it answers a retransmitted acceptance.
    if (!flow.transport().isReliable() && !request.method().equals("ACK")) {
      switch (memory.onRequest(exchange.key(), clock.millis())) {
        case Seen.First _ -> {}
        case Seen.InProgress _ -> {
          statistics.count(Count.RETRANSMISSION_ABSORBED);
          return;
        }
        case Seen.Answered(byte[] response) -> {
          statistics.count(Count.RETRANSMISSION_ABSORBED);
          if (mayAnswer(flow)) {
            write(now, exchange.replyTo(), response);
          }
          return;
        }
      }
    }
    Admission.Decision decision =
        request.method().equals("ACK")
            ? admission.unanswered() // no answer follows an ACK (RFC 3261 section 17)
            : admission.request(begins(request), clock.millis());
    switch (decision) {
      case ADMIT -> {
        statistics.count(Count.REQUEST_RECEIVED);
        run(() -> handle(exchange));
      }
      case ANSWER_503 -> {
        statistics.count(Refusal.OVERLOAD);
        memory.forget(exchange.key());
        if (mayAnswer(flow)) {
          write(now, exchange.replyTo(), overloaded(request));
        }
      }
      case DROP -> {
        statistics.count(Refusal.OVERFLOW);
        memory.forget(exchange.key());
      }
    }
  }

  /// Returns false for a request inside a dialog, and for ACK and CANCEL, which end what has begun.
  private static boolean begins(SipRequest request) {
    return switch (request.method()) {
      case "ACK", "CANCEL" -> false;
      default -> request.to().tag().isEmpty();
    };
  }

  /// Returns whether a request is the retransmission of an INVITE that is being served, or the ACK
  /// of its refusal; then it is dealt with.
  private boolean isOfInvite(ServerExchange exchange, SipRequest request) {
    return switch (request.method()) {
      case "INVITE" -> invites.onInvite(exchange.inviteKey());
      case "ACK" -> invites.onAck(exchange.inviteKey());
      default -> false;
    };
  }

  private void handle(ServerExchange exchange) {
    if (exchange.message().method().equals("CANCEL") && invites.onCancel(exchange.inviteKey())) {
      exchange.answer(200);
    } else {
      handler.onRequest(exchange);
    }
  }

  @Nullable InviteServer begin(ServerExchange exchange, Runnable onCancel) {
    return invites.begin(
        exchange.inviteKey(), exchange::write, !exchange.flow().transport().isReliable(), onCancel);
  }

  private void onResponse(Wiring now, SipResponse response, SipFlow flow) {
    if (admission.unanswered() == Admission.Decision.ADMIT) {
      statistics.count(Count.RESPONSE_RECEIVED);
      run(() -> {
        if (!now.invites.receive(response)) {
          now.transactions.receive(response, flow);
        }
      });
    } else {
      statistics.count(Refusal.OVERFLOW);
    }
  }

  private void refuse(Wiring now, Refusal reason, @Nullable SipRequest answerable, SipFlow flow) {
    statistics.count(reason);
    if (answerable != null
        && reason.status() != 0
        && admission.mayAnswer(clock.millis())
        && mayAnswer(flow)) {
      SipRequest stamped = TopmostVia.stampSource(answerable, flow);
      SipResponse response = SipResponse.to(stamped, reason.status());
      write(
          now,
          TopmostVia.replyTo(stamped, flow),
          response
              .withReason(response.reason() + ": " + reason.phrase())
              .withToTagIfSound(SipEndpoint.token())
              .encode());
    }
  }

  private static byte[] overloaded(SipRequest request) {
    return SipResponse.to(request, Refusal.OVERLOAD.status())
        .withReason("Overloaded: try again in " + RETRY_AFTER + " s")
        .withToTag(SipEndpoint.token())
        .with("Retry-After", RETRY_AFTER)
        .encode();
  }

  void remember(ServerExchange exchange, byte[] response) {
    memory.onResponse(exchange.key(), response);
  }

  /// Takes one answer from the budget of its source. Over UDP a source may be forged. Until the
  /// source has proved that it receives packets, it gets few answers, so that a victim is not
  /// flooded.
  ///
  /// @return false if the answer must not be sent; the refusal is counted
  boolean mayAnswer(SipFlow flow) {
    if (flow.transport().isReliable()
        || answers.take(SourceNetwork.of(flow.remote().getAddress()))) {
      return true;
    }
    statistics.count(Refusal.TOO_MANY_ANSWERS);
    return false;
  }

  void onSourceProved(SipFlow flow) {
    if (!flow.transport().isReliable()) {
      answers.fill(SourceNetwork.of(flow.remote().getAddress()));
    }
  }

  void count(Count what) {
    statistics.count(what);
  }

  private void write(Wiring now, SipFlow flow, byte[] bytes) {
    try {
      now.sockets.write(flow, bytes);
    } catch (IOException e) {
      statistics.count(Count.SEND_FAILED);
    }
  }

  private interface Task {
    void run() throws ParseException;
  }

  private void run(Task task) {
    long arrivedMs = clock.millis();
    try {
      tasks.execute(() -> {
        long nowMs = clock.millis();
        admission.waited(nowMs - arrivedMs, nowMs);
        runAndRelease(task);
      });
    } catch (RejectedExecutionException e) {
      admission.done(); // the endpoint is closing
    }
  }

  private void runAndRelease(Task task) {
    try {
      task.run();
    } catch (ParseException | StackOverflowError e) {
      statistics.count(Refusal.STACK_PARSER);
    } catch (RuntimeException e) {
      // A fault of ours or of the stack on one message must not affect other messages. A stack that
      // was stopped meanwhile throws because its timer has ended.
      if (wiring != null) {
        LOG.error("processing of a SIP message failed", e);
      }
    } finally {
      admission.done();
    }
  }
}
