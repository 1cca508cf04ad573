package io.viaduct.billing.call;

import io.viaduct.billing.call.CallStore.Answered;
import io.viaduct.billing.call.CallStore.Call;
import io.viaduct.billing.credit.CallCredit;
import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.ledger.MonthlyIds;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.billing.rating.CallPrice;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.wallet.PaidCharge;
import io.viaduct.billing.wallet.Wallets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Charges the seconds that nodes tell about their calls, and grants further ones. Each request is
/// one database transaction under the lock of the account's credit; a copy of a request gets the
/// same answer and charges nothing.
public final class CallCharging {
  /// Seconds of a call for which its node is told of new credit; fewer if it wants fewer.
  private static final long WORTH_SECONDS = 10;

  /// Most calls that one run ends.
  private static final int CALLS_OF_RUN = 500;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final CallStore store;
  private final SipAddresses addresses;
  private final TariffBook tariffs;
  private final CallCredit credit;
  private final Ledger ledger;
  private final Wallets wallets;
  private final ChargeListener listener;
  private final Consumer<String> look;
  private final CallRules rules;
  private final WaitingCalls waiting = new WaitingCalls();

  /// @param look lets the credit of an account be looked at as after a change of it, on another
  ///   thread
  CallCharging(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      SipAddresses addresses,
      TariffBook tariffs,
      CallCredit credit,
      Ledger ledger,
      Wallets wallets,
      ChargeListener listener,
      Consumer<String> look,
      CallRules rules) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.store = new CallStore(jdbc);
    this.addresses = addresses;
    this.tariffs = tariffs;
    this.credit = credit;
    this.ledger = ledger;
    this.wallets = wallets;
    this.listener = listener;
    this.look = look;
    this.rules = rules;
  }

  public CallRules rules() {
    return rules;
  }

  /// Charges what a request tells, and grants what it wants. The answer is committed when this
  /// method returns.
  ///
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then
  ///   nothing has changed
  public CallAnswer answer(CallRequest request, Instant now) {
    Optional<String> payer = payer(request);
    if (payer.isEmpty()) {
      return CallAnswer.refused(
          request.kind() == CallRequest.Kind.INITIAL
              ? CallOutcome.USER_UNKNOWN
              : CallOutcome.UNKNOWN_SESSION);
    }
    CallAnswer answer = transaction.execute(_ -> locked(request, payer.get(), now));
    if (!answer.isCopy()) {
      listener.changed(payer.get(), List.of());
      waits(request, payer.get(), answer, now);
    }
    return answer;
  }

  // A call that was refused at its beginning is none: its node has no session that could hear. The
  // credit may have changed between the answer and this note, so it is looked at once more: a later
  // change finds the note.
  private void waits(CallRequest request, String account, CallAnswer answer, Instant now) {
    WaitingCall call = WaitingCall.of(request);
    if (!WaitingCalls.waits(request, answer)) {
      waiting.forget(account, call);
      return;
    }
    long seconds = Math.min(WORTH_SECONDS, rules.seconds(request.wantedSeconds()));
    store
        .find(request.originHost(), request.session())
        .map(known -> new WaitingCalls.Seconds(known.price(), seconds))
        .ifPresent(wanted -> {
          waiting.add(call, account, wanted, now.plus(rules.validity()));
          look.accept(account);
        });
  }

  /// Returns the accounts with a call that waits for credit.
  public Set<String> waitingAccounts() {
    return waiting.accounts();
  }

  /// Returns the calls of an account that wait for credit and can be paid now, and forgets them:
  /// their nodes are to be told.
  public List<WaitingCall> payable(String account, Instant now) {
    return waiting.take(
        account, wanted -> credit.pays(account, wanted.price().of(wanted.seconds()), now), now);
  }

  // A call that is known is paid by its account, whatever a later request says.
  private Optional<String> payer(CallRequest request) {
    Optional<String> known = store.find(request.originHost(), request.session()).map(Call::account);
    return known.isPresent() || request.kind() != CallRequest.Kind.INITIAL
        ? known
        : account(request.subscribers());
  }

  private Optional<String> account(List<String> subscribers) {
    return subscribers.stream().flatMap(each -> addresses.account(each).stream()).findFirst();
  }

  private CallAnswer locked(CallRequest request, String account, Instant now) {
    CreditLock.take(jdbc, List.of(account));
    Optional<Call> known = store.find(request.originHost(), request.session());
    if (known.isEmpty()) {
      return begin(request, account, now);
    }
    return store
        .answer(known.get().id(), request.number())
        .orElseGet(() ->
            request.kind() == CallRequest.Kind.INITIAL || isTooLong(known.get(), request, now)
                ? CallAnswer.refused(CallOutcome.INVALID_VALUE)
                : goOn(request, known.get(), now));
  }

  // A call that is refused at its beginning leaves no trace: the node may ask for it again. One
  // that
  // wants no second would open without a look at the credit.
  private CallAnswer begin(CallRequest request, String account, Instant now) {
    TariffVersion tariff = TariffBook.inForce(tariffs.versions(), now);
    Optional<CallPrice> price = CallPrice.of(tariff.tariff());
    if (price.isEmpty()) {
      return CallAnswer.refused(CallOutcome.RATING_FAILED);
    }
    if (request.usedSeconds() > 0 || request.wantedSeconds() <= 0) {
      return CallAnswer.refused(CallOutcome.INVALID_VALUE);
    }
    CallAnswer answer = grant(request, account, price.get(), now);
    if (answer.outcome() == CallOutcome.SUCCESS) {
      long call =
          store.open(
              request, account, tariff.version(), price.get(), rules.voiceKbitPerSecond(), now);
      store.described(call, request.media());
      store.answered(call, charged(request, null, null, MicroDenarii.ZERO, answer, now));
      store.goesOn(call, now.plus(rules.validity()));
    }
    return answer;
  }

  private static boolean isTooLong(Call call, CallRequest request, Instant now) {
    long most = Duration.between(call.startedAt(), now.plus(CallRules.TOLERANCE)).toSeconds();
    return request.usedSeconds() > most - call.told();
  }

  private CallAnswer goOn(CallRequest request, Call call, Instant now) {
    store.described(call.id(), request.media());
    MicroDenarii amount = call.price().of(request.usedSeconds());
    Long posted = post(request, call, amount, now);
    Long charge = posted == null ? null : pay(call, request, amount, now);
    CallAnswer answer =
        call.isOverFor(request.kind())
            ? CallAnswer.refused(
                request.kind() == CallRequest.Kind.TERMINATION
                    ? CallOutcome.SUCCESS
                    : CallOutcome.UNKNOWN_SESSION)
            : grant(request, call.account(), call.price(), now);
    store.answered(call.id(), charged(request, charge, posted, amount, answer, now));
    if (call.isTerminated()) {
      return answer;
    }
    if (request.kind() == CallRequest.Kind.TERMINATION) {
      store.terminated(call.id(), now);
    } else if (answer.outcome() != CallOutcome.SUCCESS) {
      store.ended(call.id(), CallStore.REFUSAL, now);
    } else {
      store.goesOn(call.id(), now.plus(rules.validity()));
    }
    return answer;
  }

  private @Nullable Long post(CallRequest request, Call call, MicroDenarii amount, Instant now) {
    String reason =
        "%d s of a call at %s/s"
            .formatted(request.usedSeconds(), call.price().perSecond().denarii());
    List<Long> ids =
        ledger.post(
            List.of(LedgerTransaction.call(request.identity(), call.account(), amount, reason)),
            now);
    return ids.isEmpty() ? null : ids.getFirst();
  }

  private long pay(Call call, CallRequest request, MicroDenarii amount, Instant now) {
    long charge = MonthlyIds.of(jdbc, "charge_id", List.of(now)).getFirst();
    Instant began = now.minusSeconds(request.usedSeconds());
    wallets.pay(List.of(new PaidCharge(charge, call.account(), began, amount)));
    return charge;
  }

  private CallAnswer grant(CallRequest request, String account, CallPrice price, Instant now) {
    long wanted =
        request.kind() == CallRequest.Kind.TERMINATION ? 0 : rules.seconds(request.wantedSeconds());
    CallCredit.Granted granted =
        credit.grant(
            new CallCredit.Wanted(
                account,
                request.originHost(),
                request.session(),
                request.number(),
                request.usedSeconds(),
                wanted,
                price,
                rules.validity()),
            now);
    CallOutcome outcome =
        wanted == 0
            ? CallOutcome.SUCCESS
            : switch (granted.outcome()) {
              case GRANTED -> CallOutcome.SUCCESS;
              case CREDIT_USED_UP -> CallOutcome.CREDIT_LIMIT_REACHED;
              case ACCOUNT_BLOCKED -> CallOutcome.END_USER_SERVICE_DENIED;
            };
    return new CallAnswer(outcome, granted.seconds(), granted.isLast(), false);
  }

  private static Answered charged(
      CallRequest request,
      @Nullable Long charge,
      @Nullable Long posted,
      MicroDenarii amount,
      CallAnswer answer,
      Instant now) {
    return new Answered(
        request.number(), now, request.usedSeconds(), amount, charge, posted, answer);
  }

  /// Ends calls whose time is over, and releases what they have reserved. What they told stays
  /// charged.
  ///
  /// @return number of ended calls
  public int endLapsed(Instant now) {
    waiting.expire(now);
    List<Call> lapsed = store.lapsed(now, CALLS_OF_RUN);
    lapsed.forEach(call -> transaction.executeWithoutResult(_ -> endLapsed(call, now)));
    return lapsed.size();
  }

  private void endLapsed(Call call, Instant now) {
    CreditLock.take(jdbc, List.of(call.account()));
    if (store.isLapsed(call.id(), now)) {
      credit.release(call.account(), call.originHost(), call.session(), now);
      store.ended(call.id(), CallStore.LAPSE, now);
    }
  }

  /// Returns what some seconds of a call would cost now; empty if the tariff has no price for
  /// calls.
  public Optional<MicroDenarii> price(long seconds, Instant now) {
    return CallPrice.of(TariffBook.inForce(tariffs.versions(), now).tariff())
        .map(price -> price.of(seconds));
  }

  /// Returns true if the account of a subscriber could pay some seconds of a call now.
  ///
  /// @return empty if no account has the address
  public Optional<Boolean> pays(List<String> subscribers, MicroDenarii amount, Instant now) {
    return account(subscribers).map(account -> credit.pays(account, amount, now));
  }
}
