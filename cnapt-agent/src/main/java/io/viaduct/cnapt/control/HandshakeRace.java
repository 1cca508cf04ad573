package io.viaduct.cnapt.control;

import io.viaduct.cnapt.snapts.BetterSnapt;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Finds out at the moment of need which SNAPT that no line uses answers: by a handshake with the
/// first [#RIVALS_MAX] ones in the order of the device. The winner is, of those that are about as
/// near as the first one that answers, the first of the order that is behind no other one: the
/// nearest would be the same for all devices of a region. Owner: the control loop.
public final class HandshakeRace {
  static final int RIVALS_MAX = 4;

  private static final int WAYS_MAX = 4; // each link, IPv4 and IPv6

  /// The SNAPT that has won, and the way of its answer.
  public record Winner(Snapt at, ControlWay by) {}

  private final SnaptHandshake handshake;
  private final SnaptClaims claims;
  private final Set<Snapt> silent = new HashSet<>(); // have not answered; the next race has others
  private @Nullable Race present;

  public HandshakeRace(SnaptHandshake handshake, SnaptClaims claims) {
    this.handshake = handshake;
    this.claims = claims;
  }

  /// Begins a race, unless one is under way.
  ///
  /// @param listed SNAPTs in the order of the device
  /// @param done called on the loop with the winner; null if none has answered, or none is free
  public void begin(List<Snapt> listed, Consumer<@Nullable Winner> done) {
    if (present != null) {
      return;
    }
    List<Snapt> free = claims.free(listed);
    if (silent.containsAll(free)) {
      silent.clear();
    }
    List<Snapt> rivals =
        free.stream().filter(each -> !silent.contains(each)).limit(RIVALS_MAX).toList();
    if (rivals.isEmpty()) {
      done.accept(null);
      return;
    }
    Race begun = new Race(rivals, done);
    present = begun;
    long nowNs = handshake.loop().ticker().nanoTime();
    rivals.forEach(
        each -> handshake.begin(each, WAYS_MAX, nowNs, answer -> begun.answered(each, answer)));
  }

  /// Returns the best of the SNAPTs that have answered, null if none has.
  ///
  /// @param rivals in the order of the device
  /// @param ms returns the time of a handshake; NaN without an answer
  static @Nullable Snapt best(List<Snapt> rivals, ToDoubleFunction<Snapt> ms, SnaptOrder order) {
    double shortestMs =
        rivals.stream()
            .mapToDouble(ms)
            .filter(each -> !Double.isNaN(each))
            .min()
            .orElse(Double.NaN);
    List<Snapt> near =
        rivals.stream()
            .filter(each -> BetterSnapt.isAboutAsNear(ms.applyAsDouble(each), shortestMs))
            .toList();
    return near.stream()
        .filter(each -> near.stream().noneMatch(other -> order.isBehind(each, other)))
        .findFirst()
        .orElse(null);
  }

  private final class Race {
    private final List<Snapt> rivals;
    private final Consumer<@Nullable Winner> done;
    private final Map<Snapt, SnaptHandshake.Answer> answers = new LinkedHashMap<>();

    Race(List<Snapt> rivals, Consumer<@Nullable Winner> done) {
      this.rivals = rivals;
      this.done = done;
    }

    void answered(Snapt by, SnaptHandshake.Answer answer) {
      boolean isFirst = answers.values().stream().allMatch(each -> Double.isNaN(each.ms()));
      double ms = answer.ms();
      answers.put(by, answer);
      if (present != this) {
        return; // it is decided
      }
      if (answers.size() == rivals.size()) {
        decide();
      } else if (isFirst && !Double.isNaN(ms)) {
        long waitUs = (long) (1_000 * (BetterSnapt.longestAboutAsNearMs(ms) - ms));
        var unused = handshake.loop().schedule(this::decide, waitUs, TimeUnit.MICROSECONDS);
      }
    }

    private void decide() {
      if (present != this) {
        return;
      }
      present = null;
      rivals.stream().filter(each -> Double.isNaN(answerOf(each).ms())).forEach(silent::add);
      Snapt winner = best(rivals, each -> answerOf(each).ms(), claims.order());
      ControlWay way = winner == null ? null : answerOf(winner).by();
      if (winner == null || way == null) {
        done.accept(null);
        return;
      }
      silent.clear();
      done.accept(new Winner(winner, way));
    }

    private SnaptHandshake.Answer answerOf(Snapt rival) {
      return answers.getOrDefault(rival, SnaptHandshake.Answer.NONE);
    }
  }
}
