package io.viaduct.billing;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a command of danum-billing and returns what it prints.
public final class BillingOutput {
  // Logback prints what it does when it starts, so it must have started.
  private static final Logger LOG = LoggerFactory.getLogger(BillingOutput.class);

  private BillingOutput() {}

  public static String of(String... arguments) {
    LOG.debug("running {}", (Object) arguments);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      int code = BillingCommand.run(arguments);
      if (code != 0) {
        throw new AssertionError("exit code " + code + ": " + printed);
      }
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
