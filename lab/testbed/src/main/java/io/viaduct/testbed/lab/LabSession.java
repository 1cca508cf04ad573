package io.viaduct.testbed.lab;

import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Weather;
import io.viaduct.testbed.weather.WeatherText;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The state of one `viaduct lab`: the network, the programs that run in it, and the replay. The
/// thread of the prompt and that of the replay use it.
final class LabSession implements AutoCloseable {
  private final Topology topology;
  private final PrintStream out;
  private final List<Process> programs = new CopyOnWriteArrayList<>();
  private @Nullable Replay replay;

  LabSession(Topology topology, PrintStream out) {
    this.topology = topology;
    this.out = out;
  }

  Topology topology() {
    return topology;
  }

  PrintStream out() {
    return out;
  }

  /// Returns the cables of a link.
  ///
  /// @param device name of one device, or empty for all
  /// @throws IllegalArgumentException for a name that does not exist, or a link without weather
  List<WeatheredCable> cables(String link, String device) {
    LinkPlan plan = topology.plan().link(link);
    if (!plan.hasWeather()) {
      throw new IllegalArgumentException(
          "link %s has no weather: start without --fast %s".formatted(link, link));
    }
    List<WeatheredCable> cables =
        topology.weatheredCables().stream()
            .filter(each -> each.link().equals(plan))
            .filter(each -> device.isEmpty() || each.device().name().equals(device))
            .toList();
    if (cables.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no device '%s'; there is: %s"
              .formatted(
                  device,
                  String.join(
                      ", ", topology.devices().stream().map(each -> each.name()).toList())));
    }
    return cables;
  }

  /// Changes the weather of a link by settings. Nothing is changed if one of them is wrong.
  synchronized void change(
      List<WeatheredCable> cables, List<Direction> directions, List<String> settings) {
    var changes = new ArrayList<Runnable>();
    for (WeatheredCable cable : cables) {
      for (Direction direction : directions) {
        Weather next = WeatherText.apply(cable.weathered().weather(direction), settings);
        changes.add(() -> cable.weathered().change(direction, next));
      }
    }
    changes.forEach(Runnable::run);
  }

  /// Returns one line per cable and direction.
  String describe(List<WeatheredCable> cables) {
    var text = new StringBuilder();
    for (WeatheredCable cable : cables) {
      for (Direction direction : Direction.values()) {
        text.append(
            "  %-9s %s %-4s %s%n"
                .formatted(
                    cable.device().name(),
                    cable.link().device(),
                    direction.name().toLowerCase(Locale.ROOT),
                    cable.weathered().weather(direction)));
      }
    }
    return text.toString();
  }

  /// Runs a program in a namespace.
  ///
  /// @return its exit code, or 0 for a program in the background
  int execute(String namespace, List<String> command, boolean isBackground)
      throws IOException, InterruptedException {
    var target =
        topology.namespaces().stream()
            .filter(each -> each.name().equals(namespace))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(noNamespace(namespace)));
    out.flush();
    Process program =
        new ProcessBuilder(target.inside(command))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    program.getOutputStream().close();
    if (isBackground) {
      programs.add(program);
      return 0;
    }
    return program.waitFor();
  }

  private String noNamespace(String name) {
    var names = new TreeSet<String>();
    topology.namespaces().forEach(each -> names.add(each.name()));
    return "there is no namespace '%s'; there is: %s".formatted(name, String.join(", ", names));
  }

  /// Starts a replay; the one before ends.
  void start(Replay next) throws InterruptedException {
    stopReplay();
    replay = next;
    next.start();
  }

  void stopReplay() throws InterruptedException {
    if (replay != null) {
      replay.stop();
      replay = null;
    }
  }

  /// Ends the replay and all programs in the background.
  @Override
  public void close() throws InterruptedException {
    stopReplay();
    programs.forEach(Process::destroy);
  }
}
