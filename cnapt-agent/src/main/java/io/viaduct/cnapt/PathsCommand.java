package io.viaduct.cnapt;

import io.viaduct.cnapt.operations.PathsText;
import io.viaduct.service.operations.UnavailableException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `cnapt paths`: shows the paths of the running agent, with the numbers that decided.
@Command(
    name = "paths",
    description = "Show the paths of the running agent: state, delay, loss, rate, and why.",
    mixinStandardHelpOptions = true)
final class PathsCommand implements Callable<Integer> {
  private static final Duration SPACING = Duration.ofSeconds(1);
  private static final String CLEAR = "\033[H\033[J";

  @Mixin AgentSocket agent = new AgentSocket();

  @Option(names = "--json", description = "print the JSON list")
  boolean json;

  @Option(names = "--watch", description = "print again every second, until interrupted")
  boolean watch;

  @Override
  public Integer call() throws UnavailableException, InterruptedException {
    print();
    while (watch) {
      Thread.sleep(SPACING);
      System.out.print(System.console() == null ? "\n" : CLEAR);
      print();
    }
    return 0;
  }

  private void print() throws UnavailableException {
    String status = agent.status();
    System.out.print(json ? PathsText.json(status) : PathsText.table(status));
  }
}
