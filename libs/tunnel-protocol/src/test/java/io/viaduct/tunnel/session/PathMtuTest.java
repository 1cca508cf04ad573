package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.Verdict;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Both ends over paths that silently lose packets that are too long, docs/protocol.md section 4.4.
class PathMtuTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final LoopbackRig rig = new LoopbackRig();
  private final Endpoints to = Endpoints.ipv4(5000, 7, 53);
  private final Random random = new Random(1);

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] packet(Endpoints endpoints, int bytes) {
    byte[] payload = new byte[bytes - 28];
    random.nextBytes(payload);
    return PacketForge.udp(endpoints, payload);
  }

  private void begin(int up, int down) {
    rig.upMtu = up;
    rig.downMtu = down;
    rig.open(packet(to, 100));
    rig.probe();
    rig.deliver();
    rig.advance(20 * SECOND_NS);
  }

  @Test
  void eachEndFindsThePathMtuOfItsOwnDirection() {
    begin(1400, 1000);
    assertThat(rig.agent.mtu().size()).isEqualTo(1400);
    assertThat(rig.snapt.mtu().size()).isEqualTo(1000);
  }

  @Test
  void packetsAreAcceptedUpToThePathMtu() {
    begin(1300, 600);
    int before = rig.atSnapt.size();
    int most = OuterHeader.IPV4.innerMtu(1300);
    assertThat(rig.offer(rig.agent, packet(to, most))).isEqualTo(Verdict.QUEUED);
    byte[] tooBig = packet(to, 1400);
    tooBig[6] |= 0x40;
    PacketForge.ipChecksum(tooBig);
    assertThat(rig.offer(rig.agent, tooBig)).isEqualTo(Verdict.PACKET_TOO_BIG);
    rig.send(rig.agent);
    rig.advance(SECOND_NS);
    assertThat(rig.atSnapt).hasSize(before + 1);
  }

  @Test
  void aPacketThatMayBeFragmentedArrivesInFragments() {
    begin(600, 600);
    int before = rig.atSnapt.size();
    byte[] packet = packet(to, 1400);
    packet[6] &= ~0x40;
    PacketForge.ipChecksum(packet);
    assertThat(rig.offer(rig.agent, packet)).isEqualTo(Verdict.QUEUED);
    rig.send(rig.agent);
    rig.advance(SECOND_NS);
    byte[] whole = new byte[1400];
    boolean last = false;
    for (LoopbackRig.Restored restored : rig.atSnapt.subList(before, rig.atSnapt.size())) {
      byte[] piece = restored.packet();
      int field = ByteBuffer.wrap(piece).getShort(6);
      System.arraycopy(piece, 20, whole, 20 + (field & 0x1FFF) * 8, piece.length - 20);
      last |= (field & 0x2000) == 0;
      assertThat(InternetChecksum.of(InternetChecksum.sum(piece, 0, 20, 0))).isZero();
    }
    System.arraycopy(packet, 0, whole, 0, 20);
    assertThat(last).isTrue();
    assertThat(whole).isEqualTo(packet);
    assertThat(rig.atSnapt).hasSize(before + 3);
  }

  private List<String> crosses(TunnelSession from, byte[] packet, int gsoSize) {
    List<LoopbackRig.Restored> restored = from == rig.agent ? rig.atSnapt : rig.atAgent;
    restored.clear();
    boolean partial = gsoSize > 0;
    assertThat(rig.offer(from, packet, gsoSize, partial)).isEqualTo(Verdict.QUEUED);
    rig.send(from);
    rig.advance(SECOND_NS);
    return restored.stream()
        .map(one -> hex(PacketForge.canonical(one.packet(), one.partial())))
        .toList();
  }

  private static String hex(byte[] packet) {
    return HexFormat.of().formatHex(packet);
  }

  @Test
  void ipv6PacketsThatEveryLinkMustCarryCrossTheNarrowestPath() {
    begin(576, 600);
    Endpoints six = Endpoints.ipv6(5000, 7, 443);
    for (int bytes : new int[] {1280, 1215, 1280}) {
      byte[] packet = packet(six, bytes - 20);
      assertThat(crosses(rig.agent, packet, 0)).containsExactly(hex(packet));
      byte[] answer = packet(Endpoints.ipv6(5001, 7, 443), bytes - 20);
      assertThat(crosses(rig.snapt, answer, 0)).containsExactly(hex(answer));
    }
    assertThat(rig.offer(rig.agent, packet(six, 1261))).isEqualTo(Verdict.PACKET_TOO_BIG);
    byte[] three = PacketForge.checksum(packet(six, 48 + 3 * 1232 - 20), 1);
    assertThat(crosses(rig.agent, three, 1232))
        .isEqualTo(Segments.of(three, 1232, true).stream().map(PathMtuTest::hex).toList());
  }

  /// Sends packets of these lengths from the device, every 10 ms.
  private void send(int times, int... lengths) {
    for (int i = 0; i < times; i++) {
      for (int length : lengths) {
        rig.offer(rig.agent, packet(to, length));
      }
      rig.send(rig.agent);
      rig.advance(10_000_000);
    }
  }

  @Test
  void aPathMtuThatShrinksInUseIsFound() {
    begin(1500, 1500);
    rig.upMtu = 1400;
    send(1_000, 1200, 1400);
    assertThat(rig.agent.mtu().size()).isEqualTo(1400);
    assertThat(rig.agent.mtu().blackHoles()).isOne();
    assertThat(rig.snapt.mtu().blackHoles()).isZero();
  }

  @Test
  void aNewSizeFoundByOneEndMakesTheOtherEndProbe() {
    begin(1500, 1500);
    rig.upMtu = 1400;
    rig.downMtu = 1400;
    send(1_000, 1400);
    assertThat(rig.agent.mtu().size()).isEqualTo(1400);
    assertThat(rig.snapt.mtu().size()).as("the SNAPT sends nothing").isEqualTo(1400);
    rig.upMtu = 1000;
    rig.downMtu = 1000;
    send(2_000, 1300);
    assertThat(rig.agent.mtu().size()).isEqualTo(1000);
    assertThat(rig.snapt.mtu().size()).as("the SNAPT once more").isEqualTo(1000);
  }

  @Test
  void anIdleSessionSendsNothingAfterTheSearch() {
    begin(1400, 1400);
    rig.advance(200 * SECOND_NS); // the end of the flow is reported
    long before = rig.agent.totals().sentDatagrams();
    rig.advance(1_000 * SECOND_NS);
    assertThat(rig.agent.totals().sentDatagrams()).isEqualTo(before);
  }

  @Test
  void aPacketThatMustNotBeFragmentedIsAnsweredWithTheSizeThatFits() {
    begin(1300, 1300);
    byte[] packet = packet(to, 1400);
    packet[6] |= 0x40;
    PacketForge.ipChecksum(packet);
    byte[] answer = rig.answerTooBig(rig.agent, packet);
    ByteBuffer icmp = ByteBuffer.wrap(answer);
    assertThat(answer[9]).as("ICMP").isEqualTo((byte) 1);
    assertThat(icmp.getInt(12)).as("from the destination").isEqualTo(wordAt(packet, 16));
    assertThat(icmp.getInt(16)).as("to the source").isEqualTo(wordAt(packet, 12));
    assertThat(icmp.getShort(20)).as("fragmentation needed").isEqualTo((short) 0x0304);
    assertThat(icmp.getShort(26)).isEqualTo((short) OuterHeader.IPV4.innerMtu(1300));
    assertThat(wordAt(answer, 28)).as("the answer quotes the packet").isEqualTo(wordAt(packet, 0));
    assertThat(InternetChecksum.of(InternetChecksum.sum(answer, 0, 20, 0))).isZero();
    assertThat(InternetChecksum.of(InternetChecksum.sum(answer, 20, answer.length - 20, 0)))
        .isZero();
    assertThat(LoopbackRig.count(rig.agent, Verdict.TOLD_TOO_BIG)).isOne();
  }

  @Test
  void ipv6IsAnsweredWithPacketTooBigAndNeverLessThanItsOwnMinimum() {
    begin(1290, 1290);
    Endpoints six = Endpoints.ipv6(5000, 7, 53);
    byte[] answer = rig.answerTooBig(rig.agent, packet(six, 1400));
    assertThat(answer[6]).as("ICMPv6").isEqualTo((byte) 58);
    assertThat(answer[40]).as("packet too big").isEqualTo((byte) 2);
    assertThat(wordAt(answer, 44)).isEqualTo(1280);
    long pseudo = InternetChecksum.sum(answer, 8, 32, answer.length - 40 + 58L);
    assertThat(InternetChecksum.of(InternetChecksum.sum(answer, 40, answer.length - 40, pseudo)))
        .isZero();
  }

  @Test
  void errorsAndFragmentablePacketsGetNoAnswerAndAnswersAreLimited() {
    begin(1300, 1300);
    byte[] mayBeFragmented = packet(to, 1400);
    mayBeFragmented[6] &= ~0x40;
    assertThat(rig.answerTooBig(rig.agent, mayBeFragmented)).isEmpty();
    byte[] error = packet(to, 1400);
    error[6] |= 0x40;
    error[9] = 1;
    error[20] = 3;
    assertThat(rig.answerTooBig(rig.agent, error)).isEmpty();
    byte[] multicast = packet(to, 1400);
    multicast[6] |= 0x40;
    multicast[16] = (byte) 224;
    assertThat(rig.answerTooBig(rig.agent, multicast)).isEmpty();
    byte[] right = packet(to, 1400);
    right[6] |= 0x40;
    int answers = 0;
    for (int i = 0; i < 1_000; i++) {
      answers += rig.answerTooBig(rig.agent, right).length > 0 ? 1 : 0;
      rig.nowNs += 1_000_000;
    }
    assertThat(answers).isBetween(100, 120);
  }

  @Test
  void aSynAnnouncesNoMoreThanTheOtherDirectionOfTheTunnelCarries() {
    begin(1400, 1000);
    byte[] syn = PacketForge.tcp(to, 1, 0x02, new byte[0]);
    byte[] packet = new byte[syn.length + 4];
    System.arraycopy(syn, 0, packet, 0, syn.length);
    ByteBuffer edit = ByteBuffer.wrap(packet);
    edit.putShort(2, (short) packet.length);
    edit.put(32, (byte) 0x60);
    edit.putInt(40, 0x0204_0000 | 1460);
    PacketForge.ipChecksum(packet);
    PacketForge.checksum(packet, 0);
    rig.offer(rig.agent, packet);
    rig.send(rig.agent);
    rig.deliver();
    byte[] restored = rig.atSnapt.getLast().packet();
    int most = OuterHeader.IPV4.innerMtu(1000) - 40;
    assertThat(wordAt(restored, 40)).isEqualTo(0x0204_0000 | most);
    assertThat(LoopbackRig.count(rig.snapt, Verdict.MSS_CLAMPED)).isOne();
    assertThat(restored).as("checksum").isEqualTo(PacketForge.checksum(restored.clone(), 0));
  }

  private static int wordAt(byte[] bytes, int at) {
    return ByteBuffer.wrap(bytes).getInt(at);
  }
}
