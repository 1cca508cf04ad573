package io.viaduct.testbed.payment;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command `viaduct provider`: a payment provider that takes no money.
@Command(
    name = "provider",
    description = {
      "A payment provider that takes no money: a pay page, and signed events to billing, repeated"
          + " until billing accepts them. Runs until Ctrl-C."
    },
    mixinStandardHelpOptions = true)
public final class ProviderCommand implements Callable<Integer> {
  @Option(
      names = "--billing",
      paramLabel = "URL",
      description = "billing's REST interface (default: ${DEFAULT-VALUE})")
  private URI billing = URI.create("http://127.0.0.1:8082");

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      required = true,
      description = "the file of payments.secret-file of billing")
  private Path secret = Path.of("");

  @Option(names = "--port", description = "port of the pay page (default: ${DEFAULT-VALUE})")
  private int port = 8090;

  private ProviderCommand() {}

  static void main(String[] arguments) {
    System.exit(new CommandLine(new ProviderCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    EventDelivery delivery =
        new EventDelivery(
            billing,
            Files.readString(secret).strip(),
            Duration.ofSeconds(1),
            InstantSource.system());
    try (PaymentProvider provider =
        new PaymentProvider(
            new InetSocketAddress("127.0.0.1", port), delivery, System.out::println)) {
      System.out.printf(
          "pay page http://127.0.0.1:%d/pay, events to %s%n", provider.port(), billing);
      Thread.currentThread().join();
    }
    return 0;
  }
}
