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

/// Forks one MESSAGE to the contacts of its recipient (RFC 3261 sections 16.6 and 16.7). The
/// contacts of the highest `q` get it at once; if none of them accepts, all others get it at once.
/// The sender gets the first acceptance. Without one, it gets the best refusal when all contacts
/// have answered or timed out. Thread-safe.
final class MessageFork {
  /// Statuses that let the sender correct the request; they are preferred (section 16.7 step 6).
  private static final Set<Integer> INSTRUCTIVE = Set.of(401, 407, 415, 420, 484);

  private final Function<Binding, CompletableFuture<SipResponse>> send;
  private final SipMeters meters;
  private final Consumer<Result> sender;
  private final Deque<List<Binding>> tiers = new ArrayDeque<>(); // from here on guarded by this
  private int open;
  private boolean answered;
  private @Nullable Result best;

  /// The result of the message at one contact; the best of them is the result for the sender.
  sealed interface Result {
    record Answered(SipResponse response) implements Result {}

    /// The contact sent no response.
    record Failed(Refusal reason) implements Result {}

    private int status() {
      return switch (this) {
        case Answered(SipResponse response) -> response.status();
        case Failed(Refusal reason) -> reason.status();
      };
    }

    /// Returns whether a later attempt may have another result: no answer, or one that says that
    /// the contact is busy.
    default boolean mayPass() {
      return switch (this) {
        case Failed _ -> true;
        case Answered(SipResponse response) ->
            response.status() == 408
                || response.status() == 480
                || response.status() == 486
                || response.status() / 100 == 5;
      };
    }

    default boolean isAcceptance() {
      return status() < 300;
    }

    /// Returns whether this is a 6xx response: the user refuses on all contacts (section 16.7 step
    /// 5).
    private boolean isGlobalRefusal() {
      return status() >= 600;
    }

    /// Returns the rank; the lowest is the best. Acceptances come first, then global refusals, then
    /// the other responses by class. Within 4xx, 408 and 405 come last: they say nothing about the
    /// recipient.
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
  /// @param send sends to one contact; its future must complete in bounded time
  /// @param sender receives the result, once
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
