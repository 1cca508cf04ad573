package io.viaduct.billing.diameter;

import io.viaduct.billing.call.CallAnswer;
import io.viaduct.billing.call.CallCharging;
import io.viaduct.billing.call.CallOutcome;
import io.viaduct.billing.call.CallRequest;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.RequestHandler;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Answers credit-control requests of peers (RFC 8506): sessions of calls, and single questions
/// about balance and price. Each request has a virtual thread, because it waits for the database.
final class CreditServer implements RequestHandler, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CreditServer.class);
  private static final int CREDIT_CONTROL = 272;
  private static final int RE_AUTH = 258;
  private static final int LIMITED_SUCCESS = 2002;
  private static final int UNKNOWN_SESSION = 5002;
  private static final int COMMAND_UNSUPPORTED = 3001;
  private static final int TOO_BUSY = 3004;
  private static final int INVALID_AVP_VALUE = 5004;
  private static final int SUCCESS = 2001;
  private static final int CHECK_BALANCE = 2;
  private static final int PRICE_ENQUIRY = 3;

  /// ISO 4217: no currency.
  private static final int NO_CURRENCY = 999;

  private static final int MICRO = -6;

  private final CallCharging charging;
  private final CallMessages messages;
  private final Predicate<String> renewal;
  private final Semaphore connections;
  private final DiameterMeters meters;
  private final InstantSource clock;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("ro-", 0).factory());

  /// @param renewal asks again for the credit of a session of ours; false if there is no such
  ///   session
  /// @param connections most database connections that requests may use at a time
  CreditServer(
      CallCharging charging,
      CallMessages messages,
      Predicate<String> renewal,
      int connections,
      DiameterMeters meters,
      InstantSource clock) {
    this.charging = charging;
    this.messages = messages;
    this.renewal = renewal;
    this.connections = new Semaphore(connections);
    this.meters = meters;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<DiameterMessage> handle(DiameterMessage request) {
    return CompletableFuture.supplyAsync(() -> connected(request), threads);
  }

  private DiameterMessage connected(DiameterMessage request) {
    connections.acquireUninterruptibly();
    try {
      return answer(request, clock.instant());
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("a credit-control request cannot be answered now, database: {}", e.toString());
      meters.databaseAway();
      return messages.answers().plain(request, TOO_BUSY);
    } finally {
      connections.release();
    }
  }

  private DiameterMessage answer(DiameterMessage request, Instant now) {
    if (request.header().command() == RE_AUTH) {
      return reauthorization(request);
    }
    if (request.header().command() != CREDIT_CONTROL) {
      return messages.answers().plain(request, COMMAND_UNSUPPORTED);
    }
    return switch ((int) request.avps().number("CC-Request-Type").orElse(0)) {
      case 1 -> session(request, CallRequest.Kind.INITIAL, now);
      case 2 -> session(request, CallRequest.Kind.UPDATE, now);
      case 3 -> session(request, CallRequest.Kind.TERMINATION, now);
      case 4 -> event(request, now);
      default -> invalid(request, "CC-Request-Type");
    };
  }

  // A request for more follows (RFC 8506 section 5.5).
  private DiameterMessage reauthorization(DiameterMessage request) {
    String session = request.avps().text("Session-Id").orElse("");
    return messages
        .answers()
        .plain(request, renewal.test(session) ? LIMITED_SUCCESS : UNKNOWN_SESSION);
  }

  private DiameterMessage session(DiameterMessage request, CallRequest.Kind kind, Instant now) {
    if (messages.lacksUnits(request, kind)) {
      return missingUnits(request);
    }
    if (kind != CallRequest.Kind.TERMINATION && messages.lacksCall(request, kind)) {
      return answered(request, refused(CallOutcome.RATING_FAILED));
    }
    Optional<CallRequest> call = messages.read(request, kind);
    return call.isEmpty()
        ? invalid(request, "Session-Id")
        : answered(request, charging.answer(call.get(), now));
  }

  private DiameterMessage answered(DiameterMessage request, CallAnswer answer) {
    meters.answered(answer);
    return messages.write(request, answer);
  }

  private static CallAnswer refused(CallOutcome outcome) {
    return new CallAnswer(outcome, 0, false, false);
  }

  private DiameterMessage event(DiameterMessage request, Instant now) {
    long action = request.avps().number("Requested-Action").orElse(-1);
    if (action != CHECK_BALANCE && action != PRICE_ENQUIRY) {
      return invalid(request, "Requested-Action");
    }
    Optional<MicroDenarii> price = charging.price(CallMessages.asked(request), now);
    Optional<Boolean> pays =
        charging.pays(
            messages.subscribers().of(request.avps()), price.orElse(MicroDenarii.ZERO), now);
    if (pays.isEmpty()) {
      return answered(request, refused(CallOutcome.USER_UNKNOWN));
    }
    if (price.isEmpty()) {
      return answered(request, refused(CallOutcome.RATING_FAILED));
    }
    meters.answered(refused(CallOutcome.SUCCESS));
    AvpBuilder answer = begin(request, SUCCESS);
    if (action == CHECK_BALANCE) {
      answer.add("Check-Balance-Result", pays.get() ? "ENOUGH_CREDIT" : "NO_CREDIT");
    } else {
      answer.group("Cost-Information", cost -> cost(cost, price.get()));
    }
    return messages.answers().of(request.header(), SUCCESS, answer);
  }

  private static void cost(AvpBuilder cost, MicroDenarii price) {
    cost.group("Unit-Value", unit -> unit.add("Value-Digits", price.value()).add("Exponent", MICRO))
        .add("Currency-Code", NO_CURRENCY)
        .add("Cost-Unit", "den");
  }

  // Failed-AVP has an example of the missing AVP in the groups that it should be in (RFC 6733
  // section 7.5).
  private DiameterMessage missingUnits(DiameterMessage request) {
    meters.answered(refused(CallOutcome.MISSING_UNITS));
    AvpBuilder answer = begin(request, CallOutcome.MISSING_UNITS.resultCode());
    Consumer<AvpBuilder> units = group -> group.group("Requested-Service-Unit", _ -> {});
    answer.group(
        "Failed-AVP",
        CreditAnswer.hasMultipleServices(request)
            ? failed -> failed.group("Multiple-Services-Credit-Control", units)
            : units);
    return messages.answers().of(request.header(), CallOutcome.MISSING_UNITS.resultCode(), answer);
  }

  private DiameterMessage invalid(DiameterMessage request, String avp) {
    meters.answered(refused(CallOutcome.INVALID_VALUE));
    AvpBuilder answer = begin(request, INVALID_AVP_VALUE);
    answer.group("Failed-AVP", failed -> request.avps().all(avp).limit(1).forEach(failed::add));
    return messages.answers().of(request.header(), INVALID_AVP_VALUE, answer);
  }

  private AvpBuilder begin(DiameterMessage request, int resultCode) {
    AvpBuilder answer = messages.answers().begin(request.avps(), resultCode);
    answer.add("Auth-Application-Id", request.header().application());
    request.avps().all("CC-Request-Type").limit(1).forEach(answer::add);
    request.avps().all("CC-Request-Number").limit(1).forEach(answer::add);
    return answer;
  }

  @Override
  public void close() {
    threads.close();
  }
}
