package io.viaduct.bridge.registrar;

import io.viaduct.bridge.registrar.SipMeters.Branch;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One MESSAGE on its way to the contacts of its recipient (RFC 3261 sections 16.6 and 16.7): to
/// those of the highest `q` at once; only if none of them accepts, to all others at once. The first
/// acceptance is the sender's answer, the other contacts keep the message all the same; without one
/// it is the best refusal, once all have answered or their time is up. Thread-safe.
final class MessageFork {
  /// Refusals that a sender can do something about (section 16.7 step 6).
  private static final Set<Integer> INSTRUCTIVE = Set.of(401, 407, 415, 420, 484);

  private final Function<Binding, CompletableFuture<SipResponse>> send;
  private final SipMeters meters;
  private final Consumer<Result> sender;
  private final Deque<List<Binding>> tiers = new ArrayDeque<>(); // from here on guarded by this
  private int open;
  private boolean answered;
  private @Nullable Result best;

  /// What a contact, and in the end the recipient, makes of the message.
  sealed interface Result {
    record Answered(SipResponse response) implements Result {}

    /// Without an answer.
    record Failed(Refusal reason) implements Result {}

    private int status() {
      return switch (this) {
        case Answered(SipResponse response) -> response.status();
        case Failed(Refusal reason) -> reason.status();
      };
    }

    private boolean isAcceptance() {
      return status() < 300;
    }

    /// Whatever other contacts would say, the user does not want it (section 16.7 step 5).
    private boolean isGlobalRefusal() {
      return status() >= 600;
    }

    /// The least is the best: global refusals, then by class. Within 4xx those come last that say
    /// nothing of the recipient: silence, and a contact that is not for messages.
    private int rank() {
      int status = status();
      if (isAcceptance() || isGlobalRefusal()) {
        return isAcceptance() ? 0 : 1;
      }
      int within =
          switch (status) {
            case 405 -> 3;
            case 408 -> 2;
            default -> INSTRUCTIVE.contains(status) ? 0 : 1;
          };
      return status / 100 * 10 + within;
    }
  }

  /// @param contacts at least one
  /// @param send to one contact; ends in bounded time
  /// @param sender gets the one result
  MessageFork(
      List<Binding> contacts,
      Function<Binding, CompletableFuture<SipResponse>> send,
      SipMeters meters,
      Consumer<Result> sender) {
    this.send = send;
    this.meters = meters;
    this.sender = sender;
    int most = contacts.stream().mapToInt(Binding::preference).max().orElseThrow();
    tiers.add(contacts.stream().filter(contact -> contact.preference() == most).toList());
    List<Binding> others = contacts.stream().filter(c -> c.preference() != most).toList();
    if (!others.isEmpty()) {
      tiers.add(others);
    }
  }

  void start() {
    List<Binding> tier;
    synchronized (this) {
      tier = tiers.remove();
      open = tier.size();
    }
    for (Binding contact : tier) {
      var unused =
          send.apply(contact)
              .whenComplete((response, failure) -> onResult(result(response, failure)));
    }
  }

  private static Result result(@Nullable SipResponse response, @Nullable Throwable failure) {
    if (response != null) {
      return new Result.Answered(response);
    }
    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
    boolean silent =
        cause instanceof TimeoutException
            || (cause instanceof SipException e && e.reason() == SipException.Reason.TIMEOUT);
    return new Result.Failed(silent ? Refusal.NO_ANSWER : Refusal.UNREACHABLE);
  }

  private void onResult(Result result) {
    meters.count(outcome(result));
    Result answer;
    boolean last;
    synchronized (this) {
      open--;
      if (answered) {
        return;
      }
      answer = best == null || result.rank() < best.rank() ? result : best;
      best = answer;
      if (open > 0 && !answer.isAcceptance()) {
        return;
      }
      last = answer.isAcceptance() || answer.isGlobalRefusal() || tiers.isEmpty();
      answered = last;
    }
    if (last) {
      sender.accept(answer);
    } else {
      start();
    }
  }

  private static Branch outcome(Result result) {
    return switch (result) {
      case Result.Answered _ when result.isAcceptance() -> Branch.ACCEPTED;
      case Result.Answered(SipResponse response) when response.status() == 405 ->
          Branch.METHOD_NOT_ALLOWED;
      case Result.Answered _ -> Branch.REFUSED;
      case Result.Failed(Refusal reason) ->
          reason == Refusal.NO_ANSWER ? Branch.NO_ANSWER : Branch.UNREACHABLE;
    };
  }
}
