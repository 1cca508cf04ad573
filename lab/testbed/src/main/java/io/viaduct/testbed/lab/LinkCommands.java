package io.viaduct.testbed.lab;

import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.weather.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Commands that show and change links.
final class LinkCommands {
  private static final List<Direction> BOTH = List.of(Direction.values());

  private LinkCommands() {}

  /// Takes a direction off the front of the words. Without one both are meant.
  private static List<Direction> directions(List<String> words) {
    for (Direction direction : BOTH) {
      if (!words.isEmpty() && words.getFirst().equals(direction.name().toLowerCase(Locale.ROOT))) {
        words.removeFirst();
        return List.of(direction);
      }
    }
    return BOTH;
  }

  /// Reads `on` or `off`, or other two words.
  private static boolean is(String yes, String no, String word, String key) {
    if (!word.equals(yes) && !word.equals(no)) {
      throw new IllegalArgumentException(
          "%s is '%s': it must be %s or %s".formatted(key, word, yes, no));
    }
    return word.equals(yes);
  }

  /// `show`.
  @Command(name = "show", description = "draw the network and list the weather of all links")
  static final class Show implements Runnable {
    private final LabSession session;

    Show(LabSession session) {
      this.session = session;
    }

    @Override
    public void run() {
      session.out().print(session.topology().drawing());
      session.out().print(session.describe(session.topology().weatheredCables()));
    }
  }

  /// `weather`.
  @Command(
      name = "weather",
      description = "change the weather of a link, or show it: weather A down delay=20ms loss=1%%")
  static final class WeatherChange implements Runnable {
    private final LabSession session;

    @Option(names = "--device", description = "only this device's cable (default: all devices)")
    private String device = "";

    @Parameters(index = "0", paramLabel = "LINK")
    private String link = "";

    @Parameters(
        index = "1..*",
        paramLabel = "up|down|SETTING",
        description = "one direction (default: both), then settings")
    private List<String> words = new ArrayList<>();

    WeatherChange(LabSession session) {
      this.session = session;
    }

    @Override
    public void run() {
      List<WeatheredCable> cables = session.cables(link, device);
      var settings = new ArrayList<>(words);
      List<Direction> directions = directions(settings);
      if (!settings.isEmpty()) {
        session.change(cables, directions, settings);
      }
      session.out().print(session.describe(cables));
    }
  }

  /// `blackhole`.
  @Command(
      name = "blackhole",
      description = "let all packets of a link disappear while it stays up: blackhole A down on")
  static final class BlackHole implements Runnable {
    private final LabSession session;

    @Option(names = "--device", description = "only this device's cable (default: all devices)")
    private String device = "";

    @Parameters(index = "0", paramLabel = "LINK")
    private String link = "";

    @Parameters(
        index = "1..*",
        arity = "1..2",
        paramLabel = "[up|down] on|off",
        description = "one direction (default: both), then on or off")
    private List<String> words = new ArrayList<>();

    BlackHole(LabSession session) {
      this.session = session;
    }

    @Override
    public void run() {
      List<WeatheredCable> cables = session.cables(link, device);
      var rest = new ArrayList<>(words);
      List<Direction> directions = directions(rest);
      String word = String.join(" ", rest);
      boolean isOn = is("on", "off", word, "blackhole");
      session.change(cables, directions, List.of("blackhole=" + (isOn ? "on" : "off")));
      session.out().print(session.describe(cables));
    }
  }

  /// `link`.
  @Command(name = "link", description = "pull or plug a link's cable at all devices: link A down")
  static final class Plug implements Runnable {
    private final LabSession session;

    @Parameters(index = "0", paramLabel = "LINK")
    private String link = "";

    @Parameters(index = "1", paramLabel = "up|down")
    private String state = "";

    Plug(LabSession session) {
      this.session = session;
    }

    @Override
    public void run() {
      if (is("up", "down", state, "link " + link)) {
        session.topology().restoreLink(link);
      } else {
        session.topology().loseLink(link);
      }
      session.out().printf("  link%s is %s%n", link, state);
    }
  }
}
