package io.viaduct.billing.preview;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Prints the bill of an ordinary user's day.
@Command(
    name = "day",
    description = "Print the bill of an ordinary user's day under a tariff, as Markdown.",
    mixinStandardHelpOptions = true)
public final class DayCommand implements Callable<Integer> {
  @Option(
      names = "--seed",
      defaultValue = "20",
      description = "number from which the day is generated, ${DEFAULT-VALUE} if left out")
  private long seed;

  @Mixin private DraftOption draft = new DraftOption();

  @Override
  public Integer call() throws IOException {
    System.out.print(DayTable.of(seed, draft.read()));
    return 0;
  }
}
