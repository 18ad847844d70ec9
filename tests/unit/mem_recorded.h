/* Recorded by test_mem_recorded --record: {machine, pattern, what came of it}. */
{"fermi", 0,
 "cycles 33008 replies 1516c78049c68ff0 l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
 "l1d.hits 5 l1d.misses 19195 l1d.merges 1 l1d.replies 600 l1d.latency_cycles 1018355 "
 "l1d.longest_cycles 2725 l1d.busy_cycles 19200 l1d.mshr_stall_cycles 453256 "
 "l1d.miss_queue_stall_cycles 255 crossbar.requests 19194 crossbar.request_bytes 153552 "
 "crossbar.replies 19194 crossbar.reply_bytes 2610384 l2.accesses 19194 l2.hits 179 l2.misses 19015 "
 "l2.merges 8 l2.reads 19194 l2.dram_stall_cycles 73372 dram.reads 19007 dram.bytes 2432896 "
 "dram.row_hits 139 dram.row_misses 18868 dram.activates 18868 dram.precharges 18772 dram.bus_cycles "
 "76028 dram.deepest_queue 16"},
    {"fermi", 1,
     "cycles 37056 replies 1b1b3e7d529d19d4 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1694 l1d.misses 26913 l1d.merges 259 l1d.replies 900 l1d.latency_cycles 1252478 "
     "l1d.longest_cycles 2401 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 503496 "
     "l1d.miss_queue_stall_cycles 255 crossbar.requests 26654 crossbar.request_bytes 213232 "
     "crossbar.replies 26654 crossbar.reply_bytes 3624944 l2.accesses 26654 l2.hits 24422 l2.misses 2232 "
     "l2.merges 184 l2.reads 26654 l2.mshr_stall_cycles 29 l2.dram_stall_cycles 1048 l2.reply_stall_cycles "
     "60251 dram.reads 2048 dram.bytes 262144 dram.row_hits 1976 dram.row_misses 72 dram.activates 72 "
     "dram.bus_cycles 8192 dram.deepest_queue 16"},
    {"fermi", 2,
     "cycles 20272 replies dc5474dccaefce04 l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 2691356 l1d.longest_cycles 1097 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 277378 l1d.miss_queue_stall_cycles 255 crossbar.requests 18000 "
     "crossbar.request_bytes 144000 crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 "
     "l2.misses 18000 l2.reads 18000 l2.dram_stall_cycles 1829 dram.reads 18000 dram.bytes 2304000 "
     "dram.row_hits 17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 dram.bus_cycles 72000 "
     "dram.deepest_queue 16"},
    {"fermi", 3,
     "cycles 24288 replies 440cf43c4786053c l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 3152685 l1d.longest_cycles 1377 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 319302 l1d.miss_queue_stall_cycles 900 "
     "l1d.write_queue_stall_cycles 2355 crossbar.requests 24000 crossbar.request_bytes 1728000 "
     "crossbar.replies 12000 crossbar.reply_bytes 1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 "
     "l2.reads 12000 l2.writes 12000 l2.writebacks 9011 l2.dram_stall_cycles 82160 dram.reads 12000 "
     "dram.writes 9011 dram.bytes 2689408 dram.row_hits 20331 dram.row_misses 680 dram.activates 680 "
     "dram.precharges 584 dram.bus_cycles 84044 dram.deepest_queue 16"},
    {"fermi", 4,
     "cycles 3440 replies 366c559f31c96431 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5607 l1d.misses 1893 l1d.merges 933 l1d.replies 7500 l1d.latency_cycles 1803291 "
     "l1d.longest_cycles 2599 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 25656 l1d.miss_queue_stall_cycles "
     "255 crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes "
     "130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges 192 l2.reads 960 l2.merge_stall_cycles "
     "7100 dram.reads 64 dram.bytes 8192 dram.row_hits 52 dram.row_misses 12 dram.activates 12 "
     "dram.bus_cycles 256 dram.deepest_queue 2"},
    {"fermi", 5,
     "cycles 149776 replies 11f7b894cc9f43d2 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 751 l1d.misses 15427 l1d.merges 52 l1d.stores 8543 l1d.store_hits 354 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 1916147 l1d.longest_cycles 1825 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 255137 l1d.miss_queue_stall_cycles 5346 l1d.write_queue_stall_cycles 7795 "
     "constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 181 "
     "constant.misses 12208 constant.merges 6947 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 1841286 constant.longest_cycles 11217 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 1587621 constant.miss_queue_stall_cycles 409 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 48 texture.misses 2368 texture.merges 1 "
     "texture.bypasses 408 texture.replies 281 texture.latency_cycles 188510 texture.longest_cycles 1573 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 4082 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 136443 instruction.longest_cycles 1315 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 3494 instruction.miss_queue_stall_cycles "
     "717 crossbar.requests 42887 crossbar.request_bytes 553812 crossbar.replies 38954 crossbar.reply_bytes "
     "3556980 l2.accesses 42887 l2.hits 26370 l2.misses 16517 l2.merges 174 l2.reads 28335 l2.writes 8543 "
     "l2.atomics 6009 l2.writebacks 5976 l2.mshr_stall_cycles 7 l2.dram_stall_cycles 1091 "
     "l2.reply_stall_cycles 1870 l2.atomic_stall_cycles 6 dram.reads 16343 dram.writes 5976 dram.bytes "
     "2856832 dram.row_hits 1775 dram.row_misses 20544 dram.activates 20544 dram.precharges 20448 "
     "dram.bus_cycles 89276 dram.deepest_queue 16"},
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
     "cycles 4200 replies 349087b671c88bd6 l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 3 l1d.misses 19197 l1d.merges 1 l1d.replies 600 l1d.latency_cycles 629493 l1d.longest_cycles "
     "1445 l1d.busy_cycles 19200 l1d.mshr_stall_cycles 25870 crossbar.requests 19196 crossbar.request_bytes "
     "153568 crossbar.replies 19196 crossbar.reply_bytes 767840 crossbar.queue_full 387 l2.accesses 19196 "
     "l2.hits 65 l2.misses 19131 l2.merges 19 l2.reads 19196 l2.dram_stall_cycles 64451 dram.reads 19112 "
     "dram.bytes 611584 dram.row_hits 1080 dram.row_misses 18032 dram.activates 18032 dram.precharges 17520 "
     "dram.bus_cycles 19112 dram.deepest_queue 64"},
    {"volta", 1,
     "cycles 2420 replies d8e2cc357085d9a2 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 802 l1d.misses 27805 l1d.merges 792 l1d.replies 900 l1d.latency_cycles 421492 "
     "l1d.longest_cycles 703 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 2126 crossbar.requests 27013 "
     "crossbar.request_bytes 216104 crossbar.replies 27013 crossbar.reply_bytes 1084712 crossbar.queue_full "
     "3354 l2.accesses 27013 l2.hits 17206 l2.misses 9807 l2.merges 1870 l2.reads 27013 "
     "l2.merge_stall_cycles 97 dram.reads 7937 dram.bytes 254944 dram.row_hits 7809 dram.row_misses 128 "
     "dram.activates 128 dram.bus_cycles 7967 dram.deepest_queue 17"},
    {"volta", 2,
     "cycles 5180 replies 7b93f61e934e0aee l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 3377133 l1d.longest_cycles 1089 l1d.busy_cycles "
     "18000 crossbar.requests 18000 crossbar.request_bytes 144000 crossbar.replies 18000 "
     "crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 l2.dram_stall_cycles "
     "301 dram.reads 18000 dram.bytes 2304000 dram.row_hits 16848 dram.row_misses 1152 dram.activates 1152 "
     "dram.precharges 640 dram.bus_cycles 72000 dram.deepest_queue 64"},
    {"volta", 3,
     "cycles 4360 replies 7a7ccf95f52535b4 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 1293300 l1d.longest_cycles 538 "
     "l1d.busy_cycles 24000 l1d.miss_queue_stall_cycles 8685 l1d.write_queue_stall_cycles 26085 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 l2.writes 12000 dram.reads "
     "12000 dram.bytes 1536000 dram.row_hits 11232 dram.row_misses 768 dram.activates 768 dram.precharges "
     "256 dram.bus_cycles 48000 dram.deepest_queue 6"},
    {"volta", 4,
     "cycles 1080 replies 32b61dc82ede7c88 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5820 l1d.misses 1680 l1d.merges 720 l1d.replies 7500 l1d.latency_cycles 641145 "
     "l1d.longest_cycles 616 l1d.busy_cycles 7500 crossbar.requests 960 crossbar.request_bytes 7680 "
     "crossbar.replies 960 crossbar.reply_bytes 130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges "
     "192 l2.reads 960 l2.merge_stall_cycles 10693 dram.reads 64 dram.bytes 8192 dram.row_hits 32 "
     "dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"volta", 5,
     "cycles 93720 replies 734a3f4929cca555 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 465 l1d.misses 15713 l1d.merges 43 l1d.stores 8543 l1d.store_hits 646 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 866075 l1d.longest_cycles 545 l1d.busy_cycles "
     "33328 l1d.miss_queue_stall_cycles 450 l1d.write_queue_stall_cycles 370 constant.issued 547 "
     "constant.transactions 14425 constant.accesses 12389 constant.hits 27 constant.misses 12362 "
     "constant.merges 5964 constant.bypasses 2036 constant.replies 547 constant.latency_cycles 1159466 "
     "constant.longest_cycles 6171 constant.busy_cycles 14425 constant.mshr_stall_cycles 1011366 "
     "constant.miss_queue_stall_cycles 106 texture.issued 281 texture.transactions 2824 texture.accesses "
     "2416 texture.hits 17 texture.misses 2399 texture.bypasses 408 texture.replies 281 "
     "texture.latency_cycles 88095 texture.longest_cycles 518 texture.busy_cycles 2824 "
     "texture.miss_queue_stall_cycles 1396 instruction.issued 290 instruction.transactions 290 "
     "instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 instruction.replies 290 "
     "instruction.latency_cycles 69579 instruction.longest_cycles 677 instruction.busy_cycles 290 "
     "instruction.mshr_stall_cycles 3973 instruction.miss_queue_stall_cycles 163 crossbar.requests 44351 "
     "crossbar.request_bytes 565524 crossbar.replies 40418 crossbar.reply_bytes 1606836 crossbar.queue_full "
     "318 l2.accesses 44351 l2.hits 26023 l2.misses 18328 l2.merges 130 l2.reads 29799 l2.writes 8543 "
     "l2.atomics 6009 dram.reads 18198 dram.bytes 649504 dram.row_hits 4343 dram.row_misses 13855 "
     "dram.activates 13855 dram.precharges 13343 dram.bus_cycles 20297 dram.deepest_queue 19"},
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
     "cycles 35820 replies c08a2f10ef553178 l1d.issued 2800 l1d.transactions 89598 l1d.accesses 89598 "
     "l1d.hits 19 l1d.misses 89579 l1d.merges 2 l1d.replies 2800 l1d.latency_cycles 4946049 "
     "l1d.longest_cycles 2337 l1d.busy_cycles 89598 l1d.mshr_stall_cycles 2325930 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 89577 crossbar.request_bytes 716616 "
     "crossbar.replies 89577 crossbar.reply_bytes 12182472 l2.accesses 89577 l2.hits 5779 l2.misses 83798 "
     "l2.merges 118 l2.reads 89577 l2.dram_stall_cycles 8883 dram.reads 83680 dram.bytes 10711040 "
     "dram.row_hits 4044 dram.row_misses 79636 dram.activates 79636 dram.precharges 78836 dram.bus_cycles "
     "334720 dram.deepest_queue 16"},
    {"wide", 1,
     "cycles 35820 replies 515cfa00d0f1e5e0 l1d.issued 4200 l1d.transactions 133421 l1d.accesses 133421 "
     "l1d.hits 7860 l1d.misses 125561 l1d.merges 1145 l1d.replies 4200 l1d.latency_cycles 5103766 "
     "l1d.longest_cycles 2121 l1d.busy_cycles 133421 l1d.mshr_stall_cycles 2289589 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 124416 crossbar.request_bytes 995328 "
     "crossbar.replies 124416 crossbar.reply_bytes 16920576 l2.accesses 124416 l2.hits 121193 l2.misses "
     "3223 l2.merges 1175 l2.reads 124416 l2.merge_stall_cycles 985 l2.dram_stall_cycles 375 dram.reads "
     "2048 dram.bytes 262144 dram.row_hits 1948 dram.row_misses 100 dram.activates 100 dram.bus_cycles 8192 "
     "dram.deepest_queue 16"},
    {"wide", 2,
     "cycles 32220 replies c0f100db3584c5f0 l1d.issued 21000 l1d.transactions 84000 l1d.accesses 84000 "
     "l1d.misses 84000 l1d.replies 21000 l1d.latency_cycles 19981820 l1d.longest_cycles 1733 "
     "l1d.busy_cycles 84000 l1d.mshr_stall_cycles 2107550 l1d.miss_queue_stall_cycles 1190 "
     "crossbar.requests 84000 crossbar.request_bytes 672000 crossbar.replies 84000 crossbar.reply_bytes "
     "11424000 l2.accesses 84000 l2.misses 84000 l2.reads 84000 l2.dram_stall_cycles 5046 dram.reads 84000 "
     "dram.bytes 10752000 dram.row_hits 81300 dram.row_misses 2700 dram.activates 2700 dram.precharges 1900 "
     "dram.bus_cycles 336000 dram.deepest_queue 16"},
    {"wide", 3,
     "cycles 22140 replies cd87319d0cc897a4 l1d.issued 28000 l1d.transactions 112000 l1d.accesses 56000 "
     "l1d.misses 56000 l1d.stores 56000 l1d.replies 14000 l1d.latency_cycles 13359386 l1d.longest_cycles "
     "1473 l1d.busy_cycles 112000 l1d.mshr_stall_cycles 1342218 l1d.miss_queue_stall_cycles 4200 "
     "l1d.write_queue_stall_cycles 10990 crossbar.requests 112000 crossbar.request_bytes 8064000 "
     "crossbar.replies 56000 crossbar.reply_bytes 7616000 l2.accesses 112000 l2.hits 56000 l2.misses 56000 "
     "l2.reads 56000 l2.writes 56000 l2.writebacks 30400 dram.reads 56000 dram.writes 30400 dram.bytes "
     "11059200 dram.row_hits 83600 dram.row_misses 2800 dram.activates 2800 dram.precharges 2000 "
     "dram.bus_cycles 345600 dram.deepest_queue 9"},
    {"wide", 4,
     "cycles 4140 replies 24902198c8330330 l1d.issued 35000 l1d.transactions 35000 l1d.accesses 35000 "
     "l1d.hits 26460 l1d.misses 8540 l1d.merges 4060 l1d.replies 35000 l1d.latency_cycles 9359047 "
     "l1d.longest_cycles 2783 l1d.busy_cycles 35000 l1d.mshr_stall_cycles 160900 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 4480 crossbar.request_bytes 35840 crossbar.replies "
     "4480 crossbar.reply_bytes 609280 l2.accesses 4480 l2.hits 4224 l2.misses 256 l2.merges 192 l2.reads "
     "4480 l2.merge_stall_cycles 6837 l2.reply_stall_cycles 10487 dram.reads 64 dram.bytes 8192 "
     "dram.row_hits 32 dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"wide", 5,
     "cycles 238140 replies 6c062cc84251630b l1d.issued 15707 l1d.transactions 153412 l1d.accesses 78558 "
     "l1d.hits 3786 l1d.misses 74772 l1d.merges 348 l1d.stores 38776 l1d.store_hits 1741 l1d.bypasses 10610 "
     "l1d.atomics 25468 l1d.replies 13746 l1d.latency_cycles 12582704 l1d.longest_cycles 2337 "
     "l1d.busy_cycles 153412 l1d.mshr_stall_cycles 1774313 l1d.miss_queue_stall_cycles 43231 "
     "l1d.write_queue_stall_cycles 59335 constant.issued 2629 constant.transactions 69379 constant.accesses "
     "60026 constant.hits 1435 constant.misses 58591 constant.merges 33458 constant.bypasses 9353 "
     "constant.replies 2629 constant.latency_cycles 13651146 constant.longest_cycles 21781 "
     "constant.busy_cycles 69379 constant.mshr_stall_cycles 11769794 constant.miss_queue_stall_cycles 8318 "
     "texture.issued 1362 texture.transactions 13472 texture.accesses 11722 texture.hits 299 texture.misses "
     "11423 texture.merges 2 texture.bypasses 1750 texture.replies 1362 texture.latency_cycles 1215519 "
     "texture.longest_cycles 1908 texture.busy_cycles 13472 texture.miss_queue_stall_cycles 39898 "
     "instruction.issued 1302 instruction.transactions 1302 instruction.accesses 1153 instruction.hits 3 "
     "instruction.misses 1150 instruction.bypasses 149 instruction.replies 1302 instruction.latency_cycles "
     "914158 instruction.longest_cycles 1686 instruction.busy_cycles 1302 instruction.mshr_stall_cycles "
     "24975 instruction.miss_queue_stall_cycles 5773 crossbar.requests 198234 crossbar.request_bytes "
     "2547444 crossbar.replies 178544 crossbar.reply_bytes 16761108 crossbar.queue_full 7545 l2.accesses "
     "198234 l2.hits 148908 l2.misses 49326 l2.merges 385 l2.reads 133990 l2.writes 38776 l2.atomics 25468 "
     "l2.writebacks 4884 l2.merge_stall_cycles 843 l2.dram_stall_cycles 63 l2.reply_stall_cycles 300 "
     "l2.atomic_stall_cycles 43 dram.reads 48941 dram.writes 4884 dram.bytes 6889600 dram.row_hits 8082 "
     "dram.row_misses 45743 dram.activates 45743 dram.precharges 44943 dram.bus_cycles 215300 "
     "dram.deepest_queue 16"},
    {"narrow", 0,
     "cycles 257236 replies a830d815e08d7a6e l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 4190344 l1d.longest_cycles 8168 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 3805593 crossbar.requests 19196 crossbar.request_bytes "
     "153568 crossbar.replies 19196 crossbar.reply_bytes 2610656 l2.accesses 19196 l2.hits 184 l2.misses "
     "19012 l2.merges 1 l2.reads 19196 l2.mshr_stall_cycles 133593 l2.dram_stall_cycles 1163 "
     "l2.reply_stall_cycles 11562 dram.reads 19011 dram.bytes 2433408 dram.row_hits 126 dram.row_misses "
     "18885 dram.activates 18885 dram.precharges 18789 dram.bus_cycles 76044 dram.deepest_queue 3"},
    {"narrow", 1,
     "cycles 306502 replies 920a569c67bc9a32 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1565 l1d.misses 27042 l1d.merges 6 l1d.replies 900 l1d.latency_cycles 4964086 "
     "l1d.longest_cycles 8957 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 4446504 crossbar.requests 27036 "
     "crossbar.request_bytes 216288 crossbar.replies 27036 crossbar.reply_bytes 3676896 l2.accesses 27036 "
     "l2.hits 24959 l2.misses 2077 l2.merges 29 l2.reads 27036 l2.mshr_stall_cycles 5377 "
     "l2.dram_stall_cycles 175 l2.reply_stall_cycles 975522 dram.reads 2048 dram.bytes 262144 dram.row_hits "
     "1976 dram.row_misses 72 dram.activates 72 dram.bus_cycles 8192 dram.deepest_queue 3"},
    {"narrow", 2,
     "cycles 198982 replies 0a937480ff4e8c22 l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 5112399 l1d.longest_cycles 1802 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 2907088 crossbar.requests 18000 crossbar.request_bytes 144000 "
     "crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 "
     "l2.mshr_stall_cycles 378 l2.dram_stall_cycles 133 dram.reads 18000 dram.bytes 2304000 dram.row_hits "
     "17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 dram.bus_cycles 72000 "
     "dram.deepest_queue 3"},
    {"narrow", 3,
     "cycles 140140 replies cb10e5e2deb3eeb8 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 3542669 l1d.longest_cycles 1541 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 2002183 l1d.write_queue_stall_cycles 27162 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 crossbar.queue_full 54 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 "
     "l2.writes 12000 l2.writebacks 9012 l2.mshr_stall_cycles 374 l2.dram_stall_cycles 318 dram.reads 12000 "
     "dram.writes 9012 dram.bytes 2689536 dram.row_hits 20334 dram.row_misses 678 dram.activates 678 "
     "dram.precharges 582 dram.bus_cycles 84048 dram.deepest_queue 3"},
    {"narrow", 4,
     "cycles 18564 replies b31f8f268a7779f3 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 6501 l1d.misses 999 l1d.merges 39 l1d.replies 7500 l1d.latency_cycles 1339523 "
     "l1d.longest_cycles 2731 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 241780 l1d.merge_stall_cycles "
     "15160 crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes "
     "130560 l2.accesses 960 l2.hits 832 l2.misses 128 l2.merges 64 l2.reads 960 l2.merge_stall_cycles 2262 "
     "l2.reply_stall_cycles 39898 dram.reads 64 dram.bytes 8192 dram.row_hits 52 dram.row_misses 12 "
     "dram.activates 12 dram.bus_cycles 256 dram.deepest_queue 2"},
    {"narrow", 5,
     "cycles 471800 replies 4bd1837319bd992e l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 728 l1d.misses 15450 l1d.merges 2 l1d.stores 8543 l1d.store_hits 354 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 7782536 l1d.longest_cycles 12363 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 5096530 l1d.miss_queue_stall_cycles 84129 l1d.write_queue_stall_cycles "
     "481879 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 181 "
     "constant.misses 12208 constant.merges 6947 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 2988732 constant.longest_cycles 24426 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 2504877 constant.miss_queue_stall_cycles 65153 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 49 texture.misses 2367 texture.bypasses "
     "408 texture.replies 281 texture.latency_cycles 529340 texture.longest_cycles 9510 texture.busy_cycles "
     "2824 texture.miss_queue_stall_cycles 200528 instruction.issued 290 instruction.transactions 290 "
     "instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 instruction.replies 290 "
     "instruction.latency_cycles 242179 instruction.longest_cycles 4088 instruction.busy_cycles 290 "
     "instruction.mshr_stall_cycles 908 instruction.miss_queue_stall_cycles 29068 crossbar.requests 42960 "
     "crossbar.request_bytes 554396 crossbar.replies 39027 crossbar.reply_bytes 3566908 crossbar.queue_full "
     "10703 l2.accesses 42960 l2.hits 26382 l2.misses 16578 l2.merges 108 l2.reads 28408 l2.writes 8543 "
     "l2.atomics 6009 l2.writebacks 5968 l2.mshr_stall_cycles 48277 l2.merge_stall_cycles 95 "
     "l2.dram_stall_cycles 5390 l2.reply_stall_cycles 1210643 dram.reads 16470 dram.writes 5968 dram.bytes "
     "2872064 dram.row_hits 1753 dram.row_misses 20685 dram.activates 20685 dram.precharges 20589 "
     "dram.bus_cycles 89752 dram.deepest_queue 3"},
