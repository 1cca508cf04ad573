package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.StartCaches;
import io.viaduct.testbed.page.PageRelay;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `viaduct demo`: sets up and runs the demonstration.
@Command(name = "demo", mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  @Option(names = "--once", description = "end after the bill instead of staying up")
  private boolean once;

  @Option(names = "--keep", description = "keep the logs in build/lab/")
  private boolean keep;

  @Option(
      names = "--train",
      description = "stop every service at the end, and keep the start caches that they write")
  private boolean train;

  @Option(
      names = "--kill",
      converter = Kill.Converter.class,
      description = "kill a process at a step (SIGKILL): billing@handover")
  private List<Kill> kills = List.of();

  @Option(
      names = "--brief",
      hidden = true,
      description = "leave out the steps with little credit, bad links and the command line")
  private boolean isBrief;

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true, required = true)
  private Path outer = Path.of("");

  @Override
  public Integer call() throws Exception {
    var narration = new Narration(System.out, System::nanoTime);
    Path directory = Laboratory.mountPrivate(outer);
    narration.step("building the network in namespaces of its own");
    Topology topology = Topology.lay(NetworkPlan.DEMONSTRATION);
    narration.block(topology.drawing());
    Passwords passwords = Passwords.draw(new SecureRandom());
    var status = new CompletableFuture<Integer>();
    var deployment =
        Deployment.prepare(
            root,
            directory,
            passwords,
            Demo.INTERVAL,
            System::nanoTime,
            new Supervision(narration, () -> status.complete(1)));
    StartCaches caches = train ? new StartCaches(directory.resolve("start"), root) : null;
    if (caches != null) {
      deployment.train(caches);
    }
    var demo =
        new Demo(narration, topology, deployment, passwords, kills, isBrief, System::nanoTime);
    Thread.ofPlatform()
        .daemon()
        .name("demo")
        .start(() -> {
          try {
            boolean holds =
                holds(
                    demo, train ? new RehearsalStep(topology, System::nanoTime) : null, narration);
            if (caches != null) {
              deployment.stopAll();
              narration.line("kept in build/start: %s", String.join(", ", caches.keep()));
              status.complete(holds ? 0 : 1);
            } else if (holds && !once) {
              keepLogs(narration, directory);
              stay(narration, passwords);
            } else {
              status.complete(holds ? 0 : 1);
            }
          } catch (Throwable e) {
            status.completeExceptionally(e);
          }
        });
    int ended = status.get();
    keepLogs(narration, directory);
    return ended;
  }

  /// Runs the demonstration and returns true if all its claims hold.
  ///
  /// @param rehearsal further traffic for services that are being trained, else null
  private boolean holds(Demo demo, @Nullable RehearsalStep rehearsal, Narration narration) {
    try {
      demo.run();
      if (rehearsal != null && narration.broken().isEmpty()) {
        narration.step("traffic of every size and kind, to train the services");
        rehearsal.run(narration);
      }
    } catch (IllegalStateException | CompletionException | IOException e) {
      narration.hold(false, "%s", e.getMessage());
    }
    List<String> broken = narration.broken();
    narration.step(
        "%s",
        broken.isEmpty()
            ? "all claims of the demonstration hold"
            : broken.size() + " of the demonstration's claims did not hold");
    return broken.isEmpty();
  }

  private void keepLogs(Narration narration, Path directory) throws IOException {
    if (keep) {
      Laboratory.keepLogs(directory, root.resolve("build/lab"));
      narration.line("logs and configuration: %s", root.resolve("build/lab"));
    }
  }

  private void stay(Narration narration, Passwords passwords) throws IOException {
    PageRelay.startInside(outer, new InetSocketAddress(Topology.CONTROL, Plans.PAGE_PORT));
    narration.line("the page: http://127.0.0.1:%d/", PageRelay.port(outer));
    narration.line("log in as alice, password %s", passwords.alice());
    narration.line("or as operator, password %s", passwords.operator());
    narration.line("Ctrl-C ends the demonstration and removes all its files");
  }
}
