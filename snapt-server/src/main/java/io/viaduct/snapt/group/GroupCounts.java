package io.viaduct.snapt.group;

import io.viaduct.service.operations.Tally;
import io.viaduct.usage.v1.TakeOverRefusal;
import io.viaduct.usage.v1.TakeOverState;
import java.util.concurrent.atomic.LongAdder;

/// What a member of a group counts; all zero without a group. Any thread may count and read.
public final class GroupCounts {
  private final Tally<MoveOutcome> moves = new Tally<>(MoveOutcome.class);
  private final Tally<TakeOverState> answers = new Tally<>(TakeOverState.class);
  private final Tally<TakeOverRefusal> refusals = new Tally<>(TakeOverRefusal.class);
  private final Tally<ReturnOutcome> returns = new Tally<>(ReturnOutcome.class);
  private final Tally<OutcomeOfAsking> asked = new Tally<>(OutcomeOfAsking.class);
  private final LongAdder strangers = new LongAdder();
  private final LongAdder flowsLeftOut = new LongAdder();
  private final LongAdder linksLeftOut = new LongAdder();
  private volatile int addresses; // written by the group's thread
  private volatile int notRouted; // likewise
  private volatile int intents; // likewise

  /// Attempts to hand a session over.
  public Tally<MoveOutcome> moves() {
    return moves;
  }

  /// Answers to other members.
  public Tally<TakeOverState> answers() {
    return answers;
  }

  /// Refused requests of other members.
  public Tally<TakeOverRefusal> refusals() {
    return refusals;
  }

  /// Addresses that were returned.
  public Tally<ReturnOutcome> returns() {
    return returns;
  }

  /// Questions for the outcome of a hand-over whose end was not heard.
  public Tally<OutcomeOfAsking> asked() {
    return asked;
  }

  /// Returns the number of callers that are no member.
  public long strangers() {
    return strangers.sum();
  }

  void stranger() {
    strangers.increment();
  }

  /// Returns the number of flows that were not taken over with their session.
  public long flowsLeftOut() {
    return flowsLeftOut.sum();
  }

  void flowLeftOut() {
    flowsLeftOut.increment();
  }

  /// Returns the number of links whose rate was not taken over with their session.
  public long linksLeftOut() {
    return linksLeftOut.sum();
  }

  void linkLeftOut() {
    linksLeftOut.increment();
  }

  /// Returns the number of addresses that have moved from or to this SNAPT.
  public int addresses() {
    return addresses;
  }

  void addresses(int now) {
    addresses = now;
  }

  /// Returns the number of addresses whose routes the host has refused; they are tried again.
  public int notRouted() {
    return notRouted;
  }

  void notRouted(int now) {
    notRouted = now;
  }

  /// Returns the number of hand-overs of this SNAPT whose outcome is not known.
  public int intents() {
    return intents;
  }

  void intents(int now) {
    intents = now;
  }
}
