package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipException;
import io.viaduct.sip.SipResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Forks one request to the contacts of its recipient (RFC 3261 sections 16.6 and 16.7). The
/// contacts of the highest `q` get it at once; if none of them accepts, all others get it at once.
/// The sender gets the first acceptance. Without one, it gets the best refusal when all contacts
/// have answered or timed out. An acceptance, or a refusal for all contacts (6xx), cancels the
/// others. Thread-safe.
public final class Fork {
  /// Statuses that let the sender correct the request; they are preferred (section 16.7 step 6).
  private static final Set<Integer> INSTRUCTIVE = Set.of(401, 407, 415, 420, 484);

  private static final String ELSEWHERE = "SIP;cause=200;text=\"Call completed elsewhere\"";
  private static final String DECLINED = "SIP;cause=603;text=\"Declined elsewhere\"";

  private final Function<Binding, Branch> send;
  private final Consumer<SipMeters.Branch> meters;
  private final Consumer<Result> sender;
  private final Deque<List<Binding>> tiers = new ArrayDeque<>(); // from here on guarded by this
  private final List<Branch> running = new ArrayList<>();
  private int open;
  private boolean answered;
  private boolean stopped; // the branches that run have been cancelled
  private @Nullable Result best;

  /// The request at one contact.
  public interface Branch {
    /// Returns the final response, or a [SipException]; complete in bounded time.
    CompletableFuture<SipResponse> answer();

    /// Asks the contact to give the request up; its answer still counts.
    ///
    /// @param reason value of a header Reason (RFC 3326), or empty
    void cancel(String reason);

    /// Returns a branch that cannot be cancelled: that of a request other than INVITE.
    static Branch of(CompletableFuture<SipResponse> answer) {
      return new Branch() {
        @Override
        public CompletableFuture<SipResponse> answer() {
          return answer;
        }

        @Override
        public void cancel(String reason) {}
      };
    }
  }

  /// The result of the request at one contact; the best of them is the result for the sender.
  public sealed interface Result {
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

    /// Returns the result of a branch that has ended with a response or with a failure.
    static Result of(@Nullable SipResponse response, @Nullable Throwable failure) {
      if (response != null) {
        return new Answered(response);
      }
      Throwable cause =
          failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
      boolean silent =
          cause instanceof TimeoutException
              || (cause instanceof SipException e && e.reason() == SipException.Reason.TIMEOUT);
      return new Failed(silent ? Refusal.NO_ANSWER : Refusal.UNREACHABLE);
    }
  }

  /// @param contacts at least one
  /// @param send sends to one contact
  /// @param meters counts what became of each branch
  /// @param sender receives the result, once
  public Fork(
      List<Binding> contacts,
      Function<Binding, Branch> send,
      Consumer<SipMeters.Branch> meters,
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

  /// Sends the request to the contacts that come first.
  public void start() {
    List<Binding> tier;
    Result cancelled = null;
    synchronized (this) {
      tier = tiers.isEmpty() ? List.of() : tiers.remove();
      open = tier.size();
      if (tier.isEmpty()) { // the sender has cancelled meanwhile
        answered = true;
        cancelled = best == null ? new Result.Failed(Refusal.CANCELLED) : best;
      }
    }
    if (cancelled != null) {
      sender.accept(cancelled);
    }
    for (Binding contact : tier) {
      Branch branch = send.apply(contact);
      boolean late;
      synchronized (this) {
        running.add(branch);
        late = stopped;
      }
      if (late) {
        branch.cancel("");
      }
      var unused =
          branch
              .answer()
              .whenComplete((response, failure) -> onResult(branch, Result.of(response, failure)));
    }
  }

  /// Cancels all branches, because the sender has cancelled the request.
  public void cancel() {
    List<Branch> all;
    synchronized (this) {
      stopped = true;
      tiers.clear();
      all = List.copyOf(running);
    }
    all.forEach(branch -> branch.cancel(""));
  }

  private void onResult(Branch branch, Result result) {
    List<Branch> others = List.of();
    Result answer = null;
    boolean goesOn = false;
    boolean wasCancelled;
    synchronized (this) {
      wasCancelled = stopped;
      running.remove(branch);
      open--;
      if (!answered) {
        Result now = best == null || result.rank() < best.rank() ? result : best;
        best = now;
        if (now.isAcceptance() || now.isGlobalRefusal()) {
          stopped = true;
          tiers.clear();
          others = List.copyOf(running);
        }
        answered = now.isAcceptance() || open == 0 && tiers.isEmpty();
        answer = answered ? now : null;
        goesOn = !answered && open == 0;
      }
    }
    meters.accept(outcome(result, wasCancelled));
    others.forEach(each -> each.cancel(result.isAcceptance() ? ELSEWHERE : DECLINED));
    if (answer != null) {
      sender.accept(answer);
    } else if (goesOn) {
      start();
    }
  }

  private static SipMeters.Branch outcome(Result result, boolean wasCancelled) {
    return switch (result) {
      case Result.Answered _ when result.isAcceptance() -> SipMeters.Branch.ACCEPTED;
      case Result.Answered(SipResponse response) when response.status() == 487 && wasCancelled ->
          SipMeters.Branch.CANCELLED;
      case Result.Answered(SipResponse response) when response.status() == 405 ->
          SipMeters.Branch.METHOD_NOT_ALLOWED;
      case Result.Answered _ -> SipMeters.Branch.REFUSED;
      case Result.Failed(Refusal reason) ->
          reason == Refusal.NO_ANSWER ? SipMeters.Branch.NO_ANSWER : SipMeters.Branch.UNREACHABLE;
    };
  }
}
