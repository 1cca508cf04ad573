package io.viaduct.snapt.group;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.operations.Tally;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.usage.v1.ReturnAnswer;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Returns the addresses of sessions that have ended to the members from which they came, and takes
/// own addresses back. A member that does not answer is asked again until it does. Owner: the
/// group's thread.
final class Returns {
  private static final Logger LOG = LoggerFactory.getLogger(Returns.class);
  private static final long AGAIN_MS = 5_000;
  private static final long SETTLE_MS = 10_000;

  private final MovedAddresses addresses;
  private final GroupSettings settings;
  private final Members members;
  private final ScheduledExecutorService thread;
  private final Consumer<PublicAddress> free;
  private final Set<PublicAddress> asked = new HashSet<>();
  private final Tally<ReturnOutcome> outcomes;

  /// @param thread the group's thread
  /// @param free called on it for an own address that is free again
  Returns(
      MovedAddresses addresses,
      GroupSettings settings,
      Members members,
      ScheduledExecutorService thread,
      Consumer<PublicAddress> free,
      GroupCounts counts) {
    this.addresses = addresses;
    this.settings = settings;
    this.members = members;
    this.thread = thread;
    this.free = free;
    this.outcomes = counts.returns();
  }

  /// Returns an address whose session here has ended. Does nothing if the address is not here. One
  /// of this SNAPT that has been returned meanwhile is free.
  void leave(PublicAddress address) {
    MovedAddresses.Stay last = addresses.last(address);
    if (last == null) {
      free.accept(address);
      return;
    }
    if (!last.isHere() || !asked.add(address)) {
      return;
    }
    if (last.from().equals(MovedAddresses.OWN)) {
      if (done(address, ReturnOutcome.TAKEN_BACK)) {
        free.accept(address);
      }
      return;
    }
    if (settings.member(last.from()).isEmpty()) {
      var unused = done(address, ReturnOutcome.NO_MEMBER);
      return;
    }
    members.give(
        last.from(),
        address,
        new StreamObserver<>() {
          @Override
          public void onNext(ReturnAnswer answer) {
            onThread(
                () -> {
                  var unused = done(address, ReturnOutcome.RETURNED);
                },
                0);
          }

          @Override
          public void onError(Throwable why) {
            outcomes.count(ReturnOutcome.UNREACHABLE);
            onThread(() -> again(address), AGAIN_MS);
          }

          @Override
          public void onCompleted() {}
        });
  }

  /// Frees an own address that a member wanted to hand over and that has been returned meanwhile.
  void notTaken(PublicAddress address) {
    if (addresses.last(address) == null) {
      free.accept(address);
    }
  }

  /// Returns whether an address is on its way back to the member from which it came.
  boolean isLeaving(PublicAddress address) {
    return asked.contains(address);
  }

  private void onThread(Runnable work, long delayMs) {
    try {
      var unused = thread.schedule(work, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // this SNAPT stops: its next start returns the address
    }
  }

  private void again(PublicAddress address) {
    asked.remove(address);
    leave(address);
  }

  /// @return whether the stay has ended
  private boolean done(PublicAddress address, ReturnOutcome outcome) {
    asked.remove(address);
    MovedAddresses.Stay last = addresses.last(address);
    if (last == null || !last.isHere()) {
      return false;
    }
    try {
      addresses.leave(address);
    } catch (IOException e) {
      LOG.error("{} has gone back to {}: {}", address, last.from(), e.getMessage());
      onThread(() -> again(address), AGAIN_MS);
      return false;
    }
    outcomes.count(outcome);
    return true;
  }

  /// Notes that a member has an address. What cannot be written is tried again, because the next
  /// start would assign the address.
  ///
  /// @return false if it is not written or not routed yet
  boolean gone(PublicAddress address, GroupSettings.Member to) {
    try {
      return addresses.give(address, to);
    } catch (IOException e) {
      LOG.error("{} has gone to {}, which is not written: {}", address, to.id(), e.getMessage());
      onThread(
          () -> {
            var unused = gone(address, to);
          },
          AGAIN_MS);
      return false;
    }
  }

  /// Removes the route of an address that has gone back to the member from which it came, when
  /// nothing is under way any more.
  void settleLater(PublicAddress address) {
    onThread(() -> addresses.settle(address), SETTLE_MS);
  }

  /// Takes an address that a member returns.
  ///
  /// @return false if this SNAPT has not given it to the member
  /// @throws IOException if it cannot be written, or the outcome of the hand-over is not known here
  ///   yet; the member then asks again
  boolean returned(PublicAddress address, String by) throws IOException {
    Intent open = addresses.intent(address);
    if (open != null && open.to().equals(by)) {
      throw new IOException("%s is not settled yet".formatted(open));
    }
    MovedAddresses.Stay last = addresses.last(address);
    if (last == null || !last.to().equals(by)) {
      outcomes.count(ReturnOutcome.UNKNOWN);
      return false;
    }
    if (last.from().equals(MovedAddresses.OWN)) {
      addresses.leave(address);
      free.accept(address);
    } else {
      addresses.back(address);
      leave(address);
    }
    outcomes.count(ReturnOutcome.TAKEN_BACK);
    return true;
  }
}
