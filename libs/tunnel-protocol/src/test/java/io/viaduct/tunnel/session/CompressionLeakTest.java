package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.wire.ServiceClass;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// VORACLE and CRIME against the tunnel. The attacker's host sends chosen packets to the device and
/// sees the sizes of datagrams. It guesses, digit by digit, a secret that travels to another host.
/// The attack must succeed where hosts share a context, or the test proves nothing. Where they do
/// not share one, it must be at chance.
class CompressionLeakTest {
  private static final int DIGITS = 8;
  private static final String ALPHABET = "0123456789";
  private static final String COOKIE = "\r\nCookie: session-token=";
  private static final Endpoints VICTIM = Endpoints.ipv4(5000, 1, 80);
  private static final Endpoints ATTACKER = Endpoints.ipv4(6000, 2, 80);
  private static final int ROUNDS = 10;

  private final SplittableRandom random = new SplittableRandom(20261121);

  /// Returns the number of digits that the attacker guesses right.
  private int attack(CompressionContext context, ServiceClass serviceClass) {
    StringBuilder secret = new StringBuilder();
    for (int i = 0; i < DIGITS; i++) {
      secret.append(ALPHABET.charAt(random.nextInt(10)));
    }
    try (LoopbackRig rig = new LoopbackRig(TestSettings.of(context))) {
      rig.serviceClass = serviceClass;
      StringBuilder known = new StringBuilder();
      for (int digit = 0; digit < DIGITS; digit++) {
        known.append(ALPHABET.charAt(cheapest(rig, secret.toString(), known.toString())));
      }
      int right = 0;
      for (int i = 0; i < DIGITS; i++) {
        right += known.charAt(i) == secret.charAt(i) ? 1 : 0;
      }
      return right;
    }
  }

  /// Returns the guess with the smallest datagrams.
  private int cheapest(LoopbackRig rig, String secret, String known) {
    long[] bytes = new long[10];
    for (int round = 0; round < ROUNDS; round++) {
      String filler = Long.toString(random.nextLong(1L << 40, 1L << 41), 36);
      String request =
          "GET /" + random.nextInt(100, 1000) + " HTTP/1.1" + COOKIE + secret + "\r\n\r\n";
      for (int guess = 0; guess < 10; guess++) {
        bytes[guess] += observe(rig, request, COOKIE + known + ALPHABET.charAt(guess) + filler);
      }
    }
    int best = random.nextInt(10); // ties: no better than chance
    for (int guess = 0; guess < 10; guess++) {
      best = bytes[guess] < bytes[best] ? guess : best;
    }
    return best;
  }

  /// Sends the victim's request and the attacker's packet together, after a pause in which
  /// histories expire. Otherwise the attacker's earlier guesses would hide the present one.
  ///
  /// @return their bytes on the wire
  private int observe(LoopbackRig rig, String request, String guess) {
    rig.nowNs += 25_000_000_000L;
    rig.agent.onTick(rig.nowNs);
    rig.snapt.onTick(rig.nowNs);
    rig.agent.onTick(rig.nowNs);
    rig.drain(rig.agent);
    rig.deliver();
    offer(rig, VICTIM, request);
    offer(rig, ATTACKER, guess);
    rig.passDeadline(rig.agent);
    int bytes = rig.up.stream().mapToInt(d -> d.length).sum();
    rig.deliver();
    rig.advance(10_000_000);
    rig.atSnapt.clear();
    return bytes;
  }

  private static void offer(LoopbackRig rig, Endpoints to, String payload) {
    rig.offer(rig.agent, PacketForge.udp(to, payload.getBytes(StandardCharsets.US_ASCII)));
  }

  /// Returns the bytes of the attacker's packet alone, after the victim has sent its secret; with
  /// histories.
  private int afterTheVictim(CompressionContext context, String secret, String guess) {
    try (LoopbackRig rig = new LoopbackRig(TestSettings.of(context))) {
      rig.serviceClass = ServiceClass.LT_HD;
      for (int i = 0; i < 200; i++) {
        offer(rig, VICTIM, "GET /" + i + " HTTP/1.1" + COOKIE + secret + "\r\n\r\n");
        offer(rig, ATTACKER, "an answer without any meaning, number " + i * 7919);
        rig.passDeadline(rig.agent);
        rig.deliver();
        rig.advance(10_000_000);
      }
      offer(rig, ATTACKER, guess);
      rig.passDeadline(rig.agent);
      return rig.up.stream().mapToInt(d -> d.length).sum();
    }
  }

  @Test
  void datagramSizesDoNotRevealTheHistoryOfAnotherHost() {
    String secret = "hv8eWq2LxT9uRk4mZ7cB1nYd5sJp0aFg";
    String other = "Kp3rVt6yGh9jMn2bXc5vLz8qWe1sDf4a";
    for (CompressionContext context :
        new CompressionContext[] {CompressionContext.DEVICE, CompressionContext.REMOTE_HOST}) {
      int right = afterTheVictim(context, secret, secret);
      int wrong = afterTheVictim(context, secret, other);
      if (context == CompressionContext.DEVICE) {
        assertThat(right).as("%s", context).isLessThan(wrong - 10);
      } else {
        assertThat(right).as("%s", context).isEqualTo(wrong);
      }
    }
  }

  private double share(CompressionContext context, ServiceClass serviceClass, int attacks) {
    int right = 0;
    for (int i = 0; i < attacks; i++) {
      right += attack(context, serviceClass);
    }
    return right / (double) (attacks * DIGITS);
  }

  @ParameterizedTest
  @EnumSource(names = {"LT_HD", "HT_LD"})
  void datagramSizesRevealTheSecretOnlyIfHostsShareAContext(ServiceClass serviceClass) {
    double shared = share(CompressionContext.DEVICE, serviceClass, 6);
    double apart = share(CompressionContext.REMOTE_HOST, serviceClass, 24);
    System.out.printf(
        "%s, digits guessed: device %.2f, remote host %.2f, chance 0.10%n",
        serviceClass, shared, apart);
    assertThat(shared).isGreaterThan(0.5);
    assertThat(apart).isLessThan(0.19); // 192 digits at chance: 0.10 ± 0.02
  }
}
