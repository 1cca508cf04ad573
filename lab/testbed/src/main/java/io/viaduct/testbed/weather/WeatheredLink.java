package io.viaduct.testbed.weather;

import java.util.function.LongSupplier;

/// A link with weather: a TAP device in the device's namespace, another one in the gateway's, and
/// an impairer for each direction between them.
public final class WeatheredLink implements AutoCloseable {
  private final String device;
  private final String name;
  private final TapPort near;
  private final TapPort far;
  private final Impairer up;
  private final Impairer down;

  /// Starts the impairers. The link owns the ports from now on.
  ///
  /// @param device namespace of the device
  /// @param name of the link, such as `A`
  /// @param seed of the run; each direction of each link draws its own numbers from it
  public WeatheredLink(
      String device, String name, TapPort near, TapPort far, long seed, LongSupplier nanoTime) {
    this.device = device;
    this.name = name;
    this.near = near;
    this.far = far;
    String label = device + "/" + name;
    up = Impairer.start(label + ":up", near, far, seed(seed, label, Direction.UP), nanoTime);
    down = Impairer.start(label + ":down", far, near, seed(seed, label, Direction.DOWN), nanoTime);
  }

  // String.hashCode is specified, so a seed gives the same run on each machine.
  private static long seed(long seed, String label, Direction direction) {
    return seed * 1_000_003 + label.hashCode() * 31L + direction.name().hashCode();
  }

  public String device() {
    return device;
  }

  public String name() {
    return name;
  }

  private Impairer of(Direction direction) {
    return direction == Direction.UP ? up : down;
  }

  public Weather weather(Direction direction) {
    return of(direction).weather();
  }

  /// Changes the weather of a direction at once.
  public void change(Direction direction, Weather weather) {
    of(direction).change(weather);
  }

  public LinkCounters counters(Direction direction) {
    return of(direction).counters();
  }

  /// Ends the impairers and removes both devices.
  @Override
  public void close() {
    up.close();
    down.close();
    near.close();
    far.close();
  }
}
