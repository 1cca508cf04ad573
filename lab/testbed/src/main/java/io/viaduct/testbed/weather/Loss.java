package io.viaduct.testbed.weather;

/// Loss by the model of Gilbert and Elliott: a chain with a good and a bad state. The chain makes a
/// step before each frame. All values are probabilities from 0 to 1.
///
/// @param enter from the good to the bad state
/// @param leave from the bad to the good state
/// @param whenGood loss of a frame in the good state
/// @param whenBad loss of a frame in the bad state
public record Loss(double enter, double leave, double whenGood, double whenBad) {
  public static final Loss NONE = independent(0);

  public Loss {
    check("enter", enter);
    check("leave", leave);
    check("loss when good", whenGood);
    check("loss when bad", whenBad);
  }

  /// Makes loss that hits each frame with the same probability.
  public static Loss independent(double probability) {
    return new Loss(0, 1, probability, probability);
  }

  /// Makes loss in bursts: all frames of the bad state are lost.
  ///
  /// @param probability of the loss of a frame, over a long time
  /// @param burst mean length of a burst, in frames
  /// @throws IllegalArgumentException if bursts of this length cannot give this loss
  public static Loss inBursts(double probability, double burst) {
    check("loss", probability);
    if (probability == 0) {
      return NONE;
    }
    double leave = 1 / burst;
    double enter = probability * leave / (1 - probability);
    if (!(burst >= 1) || !(enter <= 1)) {
      throw new IllegalArgumentException(
          "burst is %s frames for a loss of %s %%: it must be at least 1 and at least loss / (1 - loss)"
              .formatted(burst, probability * 100));
    }
    return new Loss(enter, leave, 0, 1);
  }

  /// Returns the loss over a long time.
  public double mean() {
    double bad = enter == 0 ? 0 : enter / (enter + leave);
    return bad * whenBad + (1 - bad) * whenGood;
  }

  /// Returns the mean length of a burst of losses, in frames; 1 for independent losses.
  double burst() {
    boolean isInBursts = enter > 0 && leave > 0 && whenGood == 0 && whenBad == 1;
    return isInBursts ? 1 / leave : 1;
  }

  private static void check(String name, double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "%s is %s %%: it must be from 0 %% to 100 %%".formatted(name, probability * 100));
    }
  }
}
