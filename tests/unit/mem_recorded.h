/* Recorded by test_mem_recorded --record: {machine, pattern, what came of it}. */
{"fermi", 0,
 "cycles 40496 replies 7f2100e24a522c5c l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
 "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 1270383 l1d.longest_cycles 3335 "
 "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 561562 l1d.miss_queue_stall_cycles 255 crossbar.requests "
 "19196 crossbar.request_bytes 153568 crossbar.replies 19196 crossbar.reply_bytes 2610656 l2.accesses "
 "19196 l2.hits 184 l2.misses 19012 l2.merges 8 l2.reads 19196 l2.mshr_stall_cycles 378 "
 "l2.dram_stall_cycles 29788 l2.reply_stall_cycles 8457 dram.reads 19004 dram.bytes 2432512 "
 "dram.row_hits 133 dram.row_misses 18871 dram.activates 18871 dram.precharges 18775 dram.bus_cycles "
 "76016 dram.deepest_queue 16"},
    {"fermi", 1,
     "cycles 57840 replies a57abd514f0ff7f8 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1691 l1d.misses 26916 l1d.merges 245 l1d.replies 900 l1d.latency_cycles 1822241 "
     "l1d.longest_cycles 3423 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 809654 "
     "l1d.miss_queue_stall_cycles 255 crossbar.requests 26671 crossbar.request_bytes 213368 "
     "crossbar.replies 26671 crossbar.reply_bytes 3627256 l2.accesses 26671 l2.hits 24447 l2.misses 2224 "
     "l2.merges 176 l2.reads 26671 l2.dram_stall_cycles 484 l2.reply_stall_cycles 75700 dram.reads 2048 "
     "dram.bytes 262144 dram.row_hits 1982 dram.row_misses 66 dram.activates 66 dram.bus_cycles 8192 "
     "dram.deepest_queue 16"},
    {"fermi", 2,
     "cycles 36896 replies d0b10c0d29ecf0b4 l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 5554446 l1d.longest_cycles 1891 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 458322 l1d.miss_queue_stall_cycles 255 crossbar.requests 18000 "
     "crossbar.request_bytes 144000 crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 "
     "l2.misses 18000 l2.reads 18000 l2.mshr_stall_cycles 22341 l2.dram_stall_cycles 1056 dram.reads 18000 "
     "dram.bytes 2304000 dram.row_hits 17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 "
     "dram.bus_cycles 72000 dram.deepest_queue 16"},
    {"fermi", 3,
     "cycles 33024 replies 5ef55ee5dcc3f1fc l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 4337521 l1d.longest_cycles 1523 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 448134 l1d.miss_queue_stall_cycles 906 "
     "l1d.write_queue_stall_cycles 2355 crossbar.requests 24000 crossbar.request_bytes 1728000 "
     "crossbar.replies 12000 crossbar.reply_bytes 1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 "
     "l2.reads 12000 l2.writes 12000 l2.writebacks 8928 dram.reads 12000 dram.writes 8928 dram.bytes "
     "2678784 dram.row_hits 20262 dram.row_misses 666 dram.activates 666 dram.precharges 570 "
     "dram.bus_cycles 83712 dram.deepest_queue 10"},
    {"fermi", 4,
     "cycles 5472 replies 63be8a0dd1bce198 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5442 l1d.misses 2058 l1d.merges 1098 l1d.replies 7500 l1d.latency_cycles 2909219 "
     "l1d.longest_cycles 3723 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 47090 l1d.miss_queue_stall_cycles "
     "255 crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes "
     "130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges 192 l2.reads 960 l2.merge_stall_cycles "
     "7030 dram.reads 64 dram.bytes 8192 dram.row_hits 58 dram.row_misses 6 dram.activates 6 "
     "dram.bus_cycles 256 dram.deepest_queue 1"},
    {"fermi", 5,
     "cycles 135392 replies 7c6ab77b4fb12dbd l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 742 l1d.misses 15436 l1d.merges 57 l1d.stores 8543 l1d.store_hits 342 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 2006088 l1d.longest_cycles 2043 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 254033 l1d.miss_queue_stall_cycles 6365 l1d.write_queue_stall_cycles 7926 "
     "constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 181 "
     "constant.misses 12208 constant.merges 6947 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 1771838 constant.longest_cycles 14435 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 1520901 constant.miss_queue_stall_cycles 1171 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 49 texture.misses 2367 texture.merges 1 "
     "texture.bypasses 408 texture.replies 281 texture.latency_cycles 197573 texture.longest_cycles 1554 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 4809 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 150417 instruction.longest_cycles 1404 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 3714 instruction.miss_queue_stall_cycles "
     "798 crossbar.requests 42890 crossbar.request_bytes 553836 crossbar.replies 38957 crossbar.reply_bytes "
     "3557388 crossbar.queue_full 154 l2.accesses 42890 l2.hits 26415 l2.misses 16475 l2.merges 160 "
     "l2.reads 28338 l2.writes 8543 l2.atomics 6009 l2.writebacks 5913 l2.dram_stall_cycles 718 "
     "l2.reply_stall_cycles 23691 l2.atomic_stall_cycles 4 dram.reads 16315 dram.writes 5913 dram.bytes "
     "2845184 dram.row_hits 1818 dram.row_misses 20410 dram.activates 20410 dram.precharges 20314 "
     "dram.bus_cycles 88912 dram.deepest_queue 16"},
    {"fx5800", 0,
     "cycles 31632 replies 8c1c0f7fbc735e7c l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 1594384 l1d.longest_cycles 4929 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 415762 l1d.miss_queue_stall_cycles 743 crossbar.requests "
     "19196 crossbar.request_bytes 153568 crossbar.replies 19196 crossbar.reply_bytes 1228544 l2.accesses "
     "19196 l2.hits 157 l2.misses 19039 l2.merges 1 l2.reads 19196 l2.dram_stall_cycles 88695 dram.reads "
     "19038 dram.bytes 1218432 dram.row_hits 146 dram.row_misses 18892 dram.activates 18892 dram.precharges "
     "18828 dram.bus_cycles 152304 dram.deepest_queue 32"},
    {"fx5800", 1,
     "cycles 18480 replies cefeda2a6cdbf6c0 l1d.issued 900 l1d.transactions 28699 l1d.accesses 28699 "
     "l1d.hits 2869 l1d.misses 25830 l1d.merges 356 l1d.replies 900 l1d.latency_cycles 1180996 "
     "l1d.longest_cycles 3247 l1d.busy_cycles 28699 l1d.mshr_stall_cycles 233408 "
     "l1d.miss_queue_stall_cycles 741 crossbar.requests 25474 crossbar.request_bytes 203792 "
     "crossbar.replies 25474 crossbar.reply_bytes 1630336 l2.accesses 25474 l2.hits 20956 l2.misses 4518 "
     "l2.merges 425 l2.reads 25474 l2.dram_stall_cycles 12418 l2.reply_stall_cycles 19236 dram.reads 4093 "
     "dram.bytes 261952 dram.row_hits 3067 dram.row_misses 1026 dram.activates 1026 dram.precharges 962 "
     "dram.bus_cycles 32744 dram.deepest_queue 32"},
    {"fx5800", 2,
     "cycles 58624 replies 9d54235562ee271c l1d.issued 4500 l1d.transactions 36000 l1d.accesses 36000 "
     "l1d.misses 36000 l1d.replies 4500 l1d.latency_cycles 7799146 l1d.longest_cycles 1877 l1d.busy_cycles "
     "36000 l1d.mshr_stall_cycles 818712 l1d.miss_queue_stall_cycles 739 crossbar.requests 36000 "
     "crossbar.request_bytes 288000 crossbar.replies 36000 crossbar.reply_bytes 2304000 l2.accesses 36000 "
     "l2.misses 36000 l2.reads 36000 l2.dram_stall_cycles 196222 dram.reads 36000 dram.bytes 2304000 "
     "dram.row_hits 34872 dram.row_misses 1128 dram.activates 1128 dram.precharges 1064 dram.bus_cycles "
     "288000 dram.deepest_queue 32"},
    {"fx5800", 3,
     "cycles 39136 replies 283d8a054b563628 l1d.issued 6000 l1d.transactions 48000 l1d.accesses 24000 "
     "l1d.misses 24000 l1d.stores 24000 l1d.replies 3000 l1d.latency_cycles 4994030 l1d.longest_cycles 2045 "
     "l1d.busy_cycles 48000 l1d.mshr_stall_cycles 434737 l1d.miss_queue_stall_cycles 23047 "
     "l1d.write_queue_stall_cycles 57015 crossbar.requests 48000 crossbar.request_bytes 1920000 "
     "crossbar.replies 24000 crossbar.reply_bytes 1536000 crossbar.queue_full 23331 l2.accesses 48000 "
     "l2.hits 24000 l2.misses 24000 l2.reads 24000 l2.writes 24000 l2.dram_stall_cycles 96728 dram.reads "
     "24000 dram.bytes 1536000 dram.row_hits 23248 dram.row_misses 752 dram.activates 752 dram.precharges "
     "688 dram.bus_cycles 192000 dram.deepest_queue 32"},
    {"fx5800", 4,
     "cycles 2432 replies a3ac57113825dc47 l1d.issued 7500 l1d.transactions 15000 l1d.accesses 15000 "
     "l1d.hits 11085 l1d.misses 3915 l1d.merges 1995 l1d.replies 7500 l1d.latency_cycles 1241415 "
     "l1d.longest_cycles 1141 l1d.busy_cycles 15000 l1d.mshr_stall_cycles 14848 l1d.miss_queue_stall_cycles "
     "737 crossbar.requests 1920 crossbar.request_bytes 15360 crossbar.replies 1920 crossbar.reply_bytes "
     "122880 l2.accesses 1920 l2.misses 1920 l2.merges 1792 l2.reads 1920 dram.reads 128 dram.bytes 8192 "
     "dram.row_hits 120 dram.row_misses 8 dram.activates 8 dram.bus_cycles 1024 dram.deepest_queue 1"},
    {"fx5800", 5,
     "cycles 29952 replies bf8a515256a85112 l1d.issued 3382 l1d.transactions 37561 l1d.accesses 18337 "
     "l1d.hits 1245 l1d.misses 17092 l1d.merges 89 l1d.stores 9586 l1d.store_hits 628 l1d.bypasses 2909 "
     "l1d.atomics 6729 l1d.replies 2963 l1d.latency_cycles 3530395 l1d.longest_cycles 3371 l1d.busy_cycles "
     "37561 l1d.mshr_stall_cycles 201146 l1d.miss_queue_stall_cycles 86347 l1d.write_queue_stall_cycles "
     "78512 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 159 "
     "constant.misses 12230 constant.merges 6974 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 757607 constant.longest_cycles 4150 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 3409 constant.miss_queue_stall_cycles 88291 texture.issued 281 "
     "texture.transactions 3159 texture.accesses 2694 texture.hits 38 texture.misses 2656 texture.merges 2 "
     "texture.bypasses 465 texture.replies 281 texture.latency_cycles 397595 texture.longest_cycles 4809 "
     "texture.busy_cycles 3159 texture.miss_queue_stall_cycles 67768 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 285603 instruction.longest_cycles 4790 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 14075 instruction.miss_queue_stall_cycles "
     "29768 crossbar.requests 46928 crossbar.request_bytes 586140 crossbar.replies 42491 "
     "crossbar.reply_bytes 2044708 crossbar.queue_full 25001 l2.accesses 46928 l2.hits 29755 l2.misses "
     "17173 l2.merges 382 l2.reads 30613 l2.writes 9586 l2.atomics 6729 l2.dram_stall_cycles 26190 "
     "l2.reply_stall_cycles 14620 l2.atomic_stall_cycles 3 dram.reads 16791 dram.bytes 1074624 "
     "dram.row_hits 1994 dram.row_misses 14797 dram.activates 14797 dram.precharges 14733 dram.bus_cycles "
     "134328 dram.deepest_queue 32"},
    {"volta", 0,
     "cycles 4140 replies 1a658591361ade4c l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 3 l1d.misses 19197 l1d.replies 600 l1d.latency_cycles 598295 l1d.longest_cycles 1519 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 23681 l1d.miss_queue_stall_cycles 258 crossbar.requests "
     "19197 crossbar.request_bytes 153576 crossbar.replies 19197 crossbar.reply_bytes 767880 "
     "crossbar.queue_full 2118 l2.accesses 19197 l2.hits 66 l2.misses 19131 l2.merges 19 l2.reads 19197 "
     "l2.dram_stall_cycles 63400 dram.reads 19112 dram.bytes 611584 dram.row_hits 1079 dram.row_misses "
     "18033 dram.activates 18033 dram.precharges 17521 dram.bus_cycles 19112 dram.deepest_queue 64"},
    {"volta", 1,
     "cycles 2560 replies a8462b44946a158e l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 829 l1d.misses 27778 l1d.merges 678 l1d.replies 900 l1d.latency_cycles 342890 "
     "l1d.longest_cycles 502 l1d.busy_cycles 28607 l1d.miss_queue_stall_cycles 4824 crossbar.requests 27100 "
     "crossbar.request_bytes 216800 crossbar.replies 27100 crossbar.reply_bytes 1088160 crossbar.queue_full "
     "24675 l2.accesses 27100 l2.hits 17407 l2.misses 9693 l2.merges 1757 l2.reads 27100 "
     "l2.merge_stall_cycles 44 l2.reply_stall_cycles 7658 dram.reads 7936 dram.bytes 254912 dram.row_hits "
     "7808 dram.row_misses 128 dram.activates 128 dram.bus_cycles 7966 dram.deepest_queue 14"},
    {"volta", 2,
     "cycles 5080 replies 1918fe177189841a l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 3301307 l1d.longest_cycles 908 l1d.busy_cycles "
     "18000 crossbar.requests 18000 crossbar.request_bytes 144000 crossbar.replies 18000 "
     "crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 l2.dram_stall_cycles "
     "300 dram.reads 18000 dram.bytes 2304000 dram.row_hits 16848 dram.row_misses 1152 dram.activates 1152 "
     "dram.precharges 640 dram.bus_cycles 72000 dram.deepest_queue 64"},
    {"volta", 3,
     "cycles 4260 replies 06bbf70f731679b4 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 991732 l1d.longest_cycles 444 "
     "l1d.busy_cycles 24000 l1d.miss_queue_stall_cycles 8685 l1d.write_queue_stall_cycles 26085 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 l2.writes 12000 dram.reads "
     "12000 dram.bytes 1536000 dram.row_hits 11232 dram.row_misses 768 dram.activates 768 dram.precharges "
     "256 dram.bus_cycles 48000 dram.deepest_queue 6"},
    {"volta", 4,
     "cycles 1020 replies b23a8fdf8d43bcdc l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5906 l1d.misses 1594 l1d.merges 634 l1d.replies 7500 l1d.latency_cycles 563072 "
     "l1d.longest_cycles 648 l1d.busy_cycles 7500 crossbar.requests 960 crossbar.request_bytes 7680 "
     "crossbar.replies 960 crossbar.reply_bytes 130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges "
     "192 l2.reads 960 l2.merge_stall_cycles 9044 dram.reads 64 dram.bytes 8192 dram.row_hits 32 "
     "dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"volta", 5,
     "cycles 72580 replies 332a36e4e92d9b87 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 470 l1d.misses 15708 l1d.merges 43 l1d.stores 8543 l1d.store_hits 646 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 713130 l1d.longest_cycles 566 l1d.busy_cycles "
     "33328 l1d.miss_queue_stall_cycles 464 l1d.write_queue_stall_cycles 376 constant.issued 547 "
     "constant.transactions 14425 constant.accesses 12389 constant.hits 27 constant.misses 12362 "
     "constant.merges 5964 constant.bypasses 2036 constant.replies 547 constant.latency_cycles 923045 "
     "constant.longest_cycles 5749 constant.busy_cycles 14425 constant.mshr_stall_cycles 802467 "
     "constant.miss_queue_stall_cycles 207 texture.issued 281 texture.transactions 2824 texture.accesses "
     "2416 texture.hits 17 texture.misses 2399 texture.bypasses 408 texture.replies 281 "
     "texture.latency_cycles 71870 texture.longest_cycles 459 texture.busy_cycles 2824 "
     "texture.miss_queue_stall_cycles 1385 instruction.issued 290 instruction.transactions 290 "
     "instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 instruction.replies 290 "
     "instruction.latency_cycles 59488 instruction.longest_cycles 406 instruction.busy_cycles 290 "
     "instruction.mshr_stall_cycles 3179 instruction.miss_queue_stall_cycles 166 crossbar.requests 44346 "
     "crossbar.request_bytes 565484 crossbar.replies 40413 crossbar.reply_bytes 1606668 crossbar.queue_full "
     "597 l2.accesses 44346 l2.hits 25997 l2.misses 18349 l2.merges 136 l2.reads 29794 l2.writes 8543 "
     "l2.atomics 6009 dram.reads 18213 dram.bytes 650048 dram.row_hits 4361 dram.row_misses 13852 "
     "dram.activates 13852 dram.precharges 13340 dram.bus_cycles 20314 dram.deepest_queue 18"},
    {"vws", 0,
     "cycles 76760 replies 477e2b9518a94eee l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 12 l1d.misses 19188 l1d.merges 3 l1d.replies 600 l1d.latency_cycles 3366024 "
     "l1d.longest_cycles 5862 l1d.busy_cycles 19200 l1d.mshr_stall_cycles 1074105 crossbar.requests 19185 "
     "crossbar.request_bytes 153480 crossbar.replies 19185 crossbar.reply_bytes 2609160 l2.accesses 19185 "
     "l2.hits 37 l2.misses 19148 l2.merges 3 l2.reads 19185 l2.mshr_stall_cycles 57266 dram.reads 19145 "
     "dram.bytes 2450560 dram.bus_cycles 76580 dram.deepest_queue 49"},
    {"vws", 1,
     "cycles 67020 replies 5da3fb6d2faea0ba l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 5680 l1d.misses 22927 l1d.merges 735 l1d.replies 900 l1d.latency_cycles 3539527 "
     "l1d.longest_cycles 4667 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 933037 crossbar.requests 22192 "
     "crossbar.request_bytes 177536 crossbar.replies 22192 crossbar.reply_bytes 3018112 l2.accesses 22192 "
     "l2.hits 10169 l2.misses 12023 l2.merges 315 l2.reads 22192 l2.mshr_stall_cycles 2032 "
     "l2.reply_stall_cycles 42572 dram.reads 11708 dram.bytes 1498624 dram.bus_cycles 46832 "
     "dram.deepest_queue 48"},
    {"vws", 2,
     "cycles 72180 replies e72dd047c7ca3c2c l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 17894205 l1d.longest_cycles 4186 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 1006545 crossbar.requests 18000 crossbar.request_bytes 144000 "
     "crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 "
     "l2.mshr_stall_cycles 53871 dram.reads 18000 dram.bytes 2304000 dram.bus_cycles 72000 "
     "dram.deepest_queue 49"},
    {"vws", 3,
     "cycles 94000 replies cddb33645be26098 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 15657420 l1d.longest_cycles "
     "5486 l1d.busy_cycles 24000 l1d.miss_queue_stall_cycles 647115 l1d.write_queue_stall_cycles 661965 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 crossbar.queue_full 22979 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 "
     "l2.writes 12000 l2.writebacks 11488 l2.mshr_stall_cycles 435 l2.dram_stall_cycles 68567 dram.reads "
     "12000 dram.writes 11488 dram.bytes 3006464 dram.bus_cycles 93952 dram.deepest_queue 64"},
    {"vws", 4,
     "cycles 8940 replies edbec046c88eaa30 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5010 l1d.misses 2490 l1d.merges 1530 l1d.replies 7500 l1d.latency_cycles 6103770 "
     "l1d.longest_cycles 6683 l1d.busy_cycles 7500 crossbar.requests 960 crossbar.request_bytes 7680 "
     "crossbar.replies 960 crossbar.reply_bytes 130560 l2.accesses 960 l2.hits 448 l2.misses 512 l2.merges "
     "448 l2.reads 960 l2.merge_stall_cycles 7808 dram.reads 64 dram.bytes 8192 dram.bus_cycles 256 "
     "dram.deepest_queue 1"},
    {"vws", 5,
     "cycles 143520 replies 49f75d563bdb121e l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 1610 l1d.misses 14568 l1d.merges 120 l1d.stores 8543 l1d.store_hits 811 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 11659829 l1d.longest_cycles 7862 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 271169 l1d.miss_queue_stall_cycles 540815 l1d.write_queue_stall_cycles "
     "536796 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 174 "
     "constant.misses 12215 constant.merges 6962 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 2881090 constant.longest_cycles 14725 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 855609 constant.miss_queue_stall_cycles 449135 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 53 texture.misses 2363 texture.merges 1 "
     "texture.bypasses 408 texture.replies 281 texture.latency_cycles 1451561 texture.longest_cycles 12520 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 389074 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 1203645 instruction.longest_cycles 12833 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 341 instruction.miss_queue_stall_cycles "
     "212162 crossbar.requests 41947 crossbar.request_bytes 546292 crossbar.replies 38014 "
     "crossbar.reply_bytes 3429652 crossbar.queue_full 29798 l2.accesses 41947 l2.hits 16647 l2.misses "
     "25300 l2.merges 1020 l2.reads 27395 l2.writes 8543 l2.atomics 6009 l2.writebacks 11582 "
     "l2.mshr_stall_cycles 58599 l2.merge_stall_cycles 291 l2.dram_stall_cycles 41832 l2.reply_stall_cycles "
     "407 dram.reads 24280 dram.writes 11582 dram.bytes 4590336 dram.bus_cycles 143448 dram.deepest_queue "
     "64"},
    {"wide", 0,
     "cycles 26460 replies 6cfb7d06a7a63240 l1d.issued 2800 l1d.transactions 89598 l1d.accesses 89598 "
     "l1d.hits 21 l1d.misses 89577 l1d.merges 2 l1d.replies 2800 l1d.latency_cycles 3642959 "
     "l1d.longest_cycles 1781 l1d.busy_cycles 89598 l1d.mshr_stall_cycles 1699480 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 89575 crossbar.request_bytes 716600 "
     "crossbar.replies 89575 crossbar.reply_bytes 12182200 l2.accesses 89575 l2.hits 6922 l2.misses 82653 "
     "l2.merges 133 l2.reads 89575 l2.dram_stall_cycles 566 dram.reads 82520 dram.bytes 10562560 "
     "dram.row_hits 7657 dram.row_misses 74863 dram.activates 74863 dram.precharges 73263 dram.bus_cycles "
     "330080 dram.deepest_queue 16"},
    {"wide", 1,
     "cycles 35640 replies 6960fa29c497f598 l1d.issued 4200 l1d.transactions 133421 l1d.accesses 133421 "
     "l1d.hits 7804 l1d.misses 125617 l1d.merges 1158 l1d.replies 4200 l1d.latency_cycles 5050496 "
     "l1d.longest_cycles 1763 l1d.busy_cycles 133421 l1d.mshr_stall_cycles 2267525 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 124459 crossbar.request_bytes 995672 "
     "crossbar.replies 124459 crossbar.reply_bytes 16926424 l2.accesses 124459 l2.hits 121230 l2.misses "
     "3229 l2.merges 1181 l2.reads 124459 l2.merge_stall_cycles 934 dram.reads 2048 dram.bytes 262144 "
     "dram.row_hits 1948 dram.row_misses 100 dram.activates 100 dram.bus_cycles 8192 dram.deepest_queue 11"},
    {"wide", 2,
     "cycles 23220 replies 4ea85c4a2fc0e380 l1d.issued 21000 l1d.transactions 84000 l1d.accesses 84000 "
     "l1d.misses 84000 l1d.replies 21000 l1d.latency_cycles 14352816 l1d.longest_cycles 1325 "
     "l1d.busy_cycles 84000 l1d.mshr_stall_cycles 1487818 l1d.miss_queue_stall_cycles 1190 "
     "crossbar.requests 84000 crossbar.request_bytes 672000 crossbar.replies 84000 crossbar.reply_bytes "
     "11424000 l2.accesses 84000 l2.misses 84000 l2.reads 84000 dram.reads 84000 dram.bytes 10752000 "
     "dram.row_hits 81300 dram.row_misses 2700 dram.activates 2700 dram.precharges 1100 dram.bus_cycles "
     "336000 dram.deepest_queue 14"},
    {"wide", 3,
     "cycles 26460 replies 42091f5aae8f6e48 l1d.issued 28000 l1d.transactions 112000 l1d.accesses 56000 "
     "l1d.misses 56000 l1d.stores 56000 l1d.replies 14000 l1d.latency_cycles 15288126 l1d.longest_cycles "
     "1529 l1d.busy_cycles 112000 l1d.mshr_stall_cycles 1546940 l1d.miss_queue_stall_cycles 4200 "
     "l1d.write_queue_stall_cycles 10990 crossbar.requests 112000 crossbar.request_bytes 8064000 "
     "crossbar.replies 56000 crossbar.reply_bytes 7616000 l2.accesses 112000 l2.hits 56000 l2.misses 56000 "
     "l2.reads 56000 l2.writes 56000 l2.writebacks 4800 dram.reads 56000 dram.writes 4800 dram.bytes "
     "7782400 dram.row_hits 58800 dram.row_misses 2000 dram.activates 2000 dram.precharges 400 "
     "dram.bus_cycles 243200 dram.deepest_queue 10"},
    {"wide", 4,
     "cycles 4140 replies c7a78b10ec2533e5 l1d.issued 35000 l1d.transactions 35000 l1d.accesses 35000 "
     "l1d.hits 26909 l1d.misses 8091 l1d.merges 3611 l1d.replies 35000 l1d.latency_cycles 8771928 "
     "l1d.longest_cycles 2789 l1d.busy_cycles 35000 l1d.mshr_stall_cycles 157312 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 4480 crossbar.request_bytes 35840 crossbar.replies "
     "4480 crossbar.reply_bytes 609280 l2.accesses 4480 l2.hits 4224 l2.misses 256 l2.merges 192 l2.reads "
     "4480 l2.merge_stall_cycles 5721 l2.reply_stall_cycles 10428 dram.reads 64 dram.bytes 8192 "
     "dram.row_hits 32 dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"wide", 5,
     "cycles 224100 replies 7baf3b85c3daf004 l1d.issued 15707 l1d.transactions 153412 l1d.accesses 78558 "
     "l1d.hits 3712 l1d.misses 74846 l1d.merges 359 l1d.stores 38776 l1d.store_hits 1755 l1d.bypasses 10610 "
     "l1d.atomics 25468 l1d.replies 13746 l1d.latency_cycles 12275342 l1d.longest_cycles 2411 "
     "l1d.busy_cycles 153412 l1d.mshr_stall_cycles 1619371 l1d.miss_queue_stall_cycles 45211 "
     "l1d.write_queue_stall_cycles 60612 constant.issued 2629 constant.transactions 69379 constant.accesses "
     "60026 constant.hits 1435 constant.misses 58591 constant.merges 33458 constant.bypasses 9353 "
     "constant.replies 2629 constant.latency_cycles 12792341 constant.longest_cycles 22469 "
     "constant.busy_cycles 69379 constant.mshr_stall_cycles 10981915 constant.miss_queue_stall_cycles 8270 "
     "texture.issued 1362 texture.transactions 13472 texture.accesses 11722 texture.hits 300 texture.misses "
     "11422 texture.merges 2 texture.bypasses 1750 texture.replies 1362 texture.latency_cycles 1195310 "
     "texture.longest_cycles 1958 texture.busy_cycles 13472 texture.miss_queue_stall_cycles 41644 "
     "instruction.issued 1302 instruction.transactions 1302 instruction.accesses 1153 instruction.hits 3 "
     "instruction.misses 1150 instruction.bypasses 149 instruction.replies 1302 instruction.latency_cycles "
     "929934 instruction.longest_cycles 1653 instruction.busy_cycles 1302 instruction.mshr_stall_cycles "
     "27037 instruction.miss_queue_stall_cycles 5643 crossbar.requests 198296 crossbar.request_bytes "
     "2547940 crossbar.replies 178606 crossbar.reply_bytes 16769540 crossbar.queue_full 8057 l2.accesses "
     "198296 l2.hits 149752 l2.misses 48544 l2.merges 369 l2.reads 134052 l2.writes 38776 l2.atomics 25468 "
     "l2.writebacks 200 l2.merge_stall_cycles 793 l2.reply_stall_cycles 812 l2.atomic_stall_cycles 32 "
     "dram.reads 48175 dram.writes 200 dram.bytes 6192000 dram.row_hits 12038 dram.row_misses 36337 "
     "dram.activates 36337 dram.precharges 34737 dram.bus_cycles 193500 dram.deepest_queue 15"},
    {"narrow", 0,
     "cycles 234010 replies 8d3d0440c7ce88c6 l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 2 l1d.misses 19198 l1d.replies 600 l1d.latency_cycles 3793514 l1d.longest_cycles 9228 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 3433355 crossbar.requests 19198 crossbar.request_bytes "
     "153584 crossbar.replies 19198 crossbar.reply_bytes 2610928 l2.accesses 19198 l2.hits 188 l2.misses "
     "19010 l2.reads 19198 l2.mshr_stall_cycles 484976 l2.dram_stall_cycles 48 dram.reads 19010 dram.bytes "
     "2433280 dram.row_hits 115 dram.row_misses 18895 dram.activates 18895 dram.precharges 18799 "
     "dram.bus_cycles 76040 dram.deepest_queue 3"},
    {"narrow", 1,
     "cycles 509502 replies b56b80910b109858 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1568 l1d.misses 27039 l1d.merges 5 l1d.replies 900 l1d.latency_cycles 8310006 "
     "l1d.longest_cycles 16186 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 7488664 crossbar.requests 27034 "
     "crossbar.request_bytes 216272 crossbar.replies 27034 crossbar.reply_bytes 3676624 l2.accesses 27034 "
     "l2.hits 24958 l2.misses 2076 l2.merges 28 l2.reads 27034 l2.mshr_stall_cycles 19391 "
     "l2.dram_stall_cycles 47 l2.reply_stall_cycles 1183664 dram.reads 2048 dram.bytes 262144 dram.row_hits "
     "1982 dram.row_misses 66 dram.activates 66 dram.bus_cycles 8192 dram.deepest_queue 3"},
    {"narrow", 2,
     "cycles 171360 replies 98afa38ecb800c0a l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 3852654 l1d.longest_cycles 1143 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 2545281 crossbar.requests 18000 crossbar.request_bytes 144000 "
     "crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 "
     "l2.mshr_stall_cycles 490788 l2.dram_stall_cycles 24 dram.reads 18000 dram.bytes 2304000 dram.row_hits "
     "17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 dram.bus_cycles 72000 "
     "dram.deepest_queue 3"},
    {"narrow", 3,
     "cycles 115822 replies 0c3a38a75505b906 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 2616283 l1d.longest_cycles 1210 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 1670392 l1d.write_queue_stall_cycles 27071 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 crossbar.queue_full 3081 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 "
     "l2.writes 12000 l2.writebacks 8928 l2.mshr_stall_cycles 273980 l2.dram_stall_cycles 397 dram.reads "
     "12000 dram.writes 8928 dram.bytes 2678784 dram.row_hits 20262 dram.row_misses 666 dram.activates 666 "
     "dram.precharges 570 dram.bus_cycles 83712 dram.deepest_queue 3"},
    {"narrow", 4,
     "cycles 21672 replies 9c98922d07ba4288 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 6502 l1d.misses 998 l1d.merges 38 l1d.replies 7500 l1d.latency_cycles 1456659 "
     "l1d.longest_cycles 4897 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 278022 l1d.merge_stall_cycles "
     "10587 crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes "
     "130560 l2.accesses 960 l2.hits 833 l2.misses 127 l2.merges 63 l2.reads 960 l2.merge_stall_cycles 3648 "
     "l2.reply_stall_cycles 34171 dram.reads 64 dram.bytes 8192 dram.row_hits 58 dram.row_misses 6 "
     "dram.activates 6 dram.bus_cycles 256 dram.deepest_queue 2"},
    {"narrow", 5,
     "cycles 533638 replies cfe73422fa42b803 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 731 l1d.misses 15447 l1d.merges 1 l1d.stores 8543 l1d.store_hits 341 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 8981332 l1d.longest_cycles 15172 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 5570638 l1d.miss_queue_stall_cycles 202847 l1d.write_queue_stall_cycles "
     "932130 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 181 "
     "constant.misses 12208 constant.merges 6947 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 3568992 constant.longest_cycles 41432 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 2943814 constant.miss_queue_stall_cycles 139444 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 47 texture.misses 2369 texture.bypasses "
     "408 texture.replies 281 texture.latency_cycles 847782 texture.longest_cycles 12631 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 448657 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 381158 instruction.longest_cycles 9714 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 1894 instruction.miss_queue_stall_cycles "
     "68530 crossbar.requests 42960 crossbar.request_bytes 554396 crossbar.replies 39027 "
     "crossbar.reply_bytes 3566908 crossbar.queue_full 12233 l2.accesses 42960 l2.hits 26433 l2.misses "
     "16527 l2.merges 82 l2.reads 28408 l2.writes 8543 l2.atomics 6009 l2.writebacks 5923 "
     "l2.mshr_stall_cycles 130472 l2.dram_stall_cycles 5072 l2.reply_stall_cycles 896120 "
     "l2.atomic_stall_cycles 3 dram.reads 16445 dram.writes 5923 dram.bytes 2863104 dram.row_hits 1804 "
     "dram.row_misses 20564 dram.activates 20564 dram.precharges 20468 dram.bus_cycles 89472 "
     "dram.deepest_queue 3"},
