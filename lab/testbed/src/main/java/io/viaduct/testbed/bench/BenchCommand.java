package io.viaduct.testbed.bench;

import picocli.CommandLine.Command;

/// `viaduct bench`: one subcommand per kind of measurement.
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    subcommands = {
      TunnelCommand.class,
      SavingsCommand.class,
      GoodputCommand.class,
      ClassesCommand.class,
      FallbackCommand.class,
      PathMtuCommand.class,
      IdleCommand.class,
      CreditCommand.class,
      HandoverCommand.class,
      SnaptsCommand.class,
      io.viaduct.testbed.sip.SipCommand.class,
      io.viaduct.testbed.sessions.SessionsCommand.class,
      io.viaduct.testbed.sessions.ProbesCommand.class,
      io.viaduct.testbed.calibration.LabBenchCommand.class
    })
public final class BenchCommand {}
