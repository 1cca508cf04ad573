package io.viaduct.billing.preview;

import io.viaduct.billing.tariff.Tariff;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Prints the price of a megabyte over throughput and delay.
@Command(
    name = "prices",
    description = "Print the price of a megabyte over throughput and delay, as Markdown.",
    mixinStandardHelpOptions = true)
public final class PricesCommand implements Callable<Integer> {
  @Mixin private DraftOption draft = new DraftOption();

  @Option(names = "--plot", description = "print curves as SVG in place of the tables")
  private boolean isPlot;

  @Override
  public Integer call() throws IOException {
    Tariff tariff = draft.read();
    System.out.print(isPlot ? PricePlot.of(tariff) : PriceTable.of(tariff));
    return 0;
  }
}
